"""Texts: reading files, splitting them into sentences and words, and corpora."""
