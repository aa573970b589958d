"""Passages that two texts share, copied or reworded, in any order.

words.py       texts as arrays of word ids; how much words and phrases tell
seeds.py       places where two texts may share a passage
scoring.py     what pairs of words are worth; discounts for common phrases
align.py       local alignment in a band
passages.py    alignments that belong together; chance
parts.py       finished parts of a run, to continue from
find.py        all of it: the passages of a collection
describe.py    spans, kinds and alignments
clusters.py    passages with a common source
"""
