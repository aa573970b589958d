"""Texts as multisets of n-grams: counting, algebra and keyness."""
