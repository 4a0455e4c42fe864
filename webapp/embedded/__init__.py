"""PostgreSQL and Valkey from the installed packages, for installations that set no DATABASE_URL or REDIS_URL."""
