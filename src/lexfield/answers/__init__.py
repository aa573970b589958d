"""What a verb answers: the same records, notes and figures for the command line and the server."""
