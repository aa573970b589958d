"""Readers of documents, one file per format; ``archive`` unpacks and ``xml`` parses within bounds.

Each has a function ``read`` from a source to documents. Title, author, date and language become
metadata where a file has them.
"""
