"""How different texts are: as counts of words, and as clouds of word vectors.

counts.py       texts as rows of counts
categorical.py  divergences of counts, all pairs by sparse algebra
points.py       texts as weighted points, and the neighbours of every point
knn.py          the k-nearest-neighbour estimators
between.py      two texts, with error bars and evidence
walk.py         all pairs of clouds in one pass over the neighbours of every word
pairs.py        all pairs of a corpus
resample.py     intervals and p-values
label.py        the nearest category
"""
