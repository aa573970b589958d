"""What is kept on disk: atomic, checksummed, mapped into memory."""
