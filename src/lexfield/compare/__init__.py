"""How different texts are: as counts of words, and as clouds of word vectors.

options.py         every choice with its default
measures.py        the table of measures, and their formulas for counts
smoothing.py       frequencies of words
knn.py             the k-nearest-neighbour estimators: formulas for clouds
counts.py          texts as rows of counts
clouds.py          texts as weighted points, and the neighbours of every point
estimate.py        the result for two texts
pair.py            two texts, with error bars and evidence
resampling.py      error bars and p-values
pairs.py           all pairs of a corpus
batches.py         all pairs in batches that can be resumed or computed on a cluster
neighbour_walk.py  distances from a word to the k-th nearest word of every document
pair_sums.py       the sums of these distances for every pair
labels.py          the nearest category
probabilities.py   how sure a label is
attribution.py     who wrote a text
classifier.py      labels as a scikit-learn classifier
"""
