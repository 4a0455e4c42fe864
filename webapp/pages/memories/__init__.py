"""What every list of memories offers: adding, editing, deleting, history. Screens attach it to their own address."""
