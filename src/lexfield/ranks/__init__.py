"""Zipf's law in words and in the latent space, parts of speech, and layouts of words.

The package is not called ``zipf``: that is the name of its function, ``lexfield.zipf``.
"""
