"""Readers of word-vector files, one file per format."""
