"""The SQL of graph memory, a file per kind of row. Callers hold the transaction and have checked permission."""
