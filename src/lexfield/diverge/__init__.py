"""How different texts are: as counts of words, and as clouds of word vectors.

counts.py       texts as rows of counts
categorical.py  divergences of counts, all pairs by sparse algebra
points.py       texts as weighted points, and the neighbours of every point
knn.py          the k-nearest-neighbour estimators
between.py      two texts, with error bars and evidence
spread.py       counts spread over near words
options.py      every choice with its default
estimate.py     the result for two texts
walk.py         all documents at once along the neighbours of a word
sums.py         what the walks add up to, for each measure
clouds.py       all pairs of clouds, block by block
pairs.py        all pairs of a corpus
resample.py     intervals and p-values
label.py        the nearest category
"""
