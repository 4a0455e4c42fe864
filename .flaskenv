FLASK_APP=jobs.cli
