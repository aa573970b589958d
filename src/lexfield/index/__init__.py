"""What is stored about a collection: segments, rows, words, filters, rankings, learned views."""
