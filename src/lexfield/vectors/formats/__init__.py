"""One file for each way that word vectors are kept on disk."""
