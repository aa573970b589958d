"""How different texts are: as counts of words, and as clouds of word vectors.

options.py         every choice with its default
measures.py        the table of measures, and their formulas for counts
count_table.py     what a measure is, and two matrices of counts that it compares
delta.py           Delta and its relatives: formulas for standardised counts
hubs.py            distances in which no text is the nearest of very many
smoothing.py       frequencies of words
knn.py             the k-nearest-neighbour estimators: formulas for clouds
counts.py          texts as rows of counts
clouds.py          texts as weighted points, and the neighbours of every point
estimate.py        the result for two texts, with error bars and p-values
pair.py            two texts, with evidence
pairs.py           all pairs of a corpus
trees.py           dendrograms, consensus trees and networks of all pairs
batches.py         all pairs in batches that can be resumed or computed on a cluster
neighbour_walk.py  distances from a word to the k-th nearest word of every document, and their sums
style.py           style features: words, characters, parts of speech, punctuation
labels.py          the nearest category
known.py           known texts, none of them twice
scores.py          how well the style of a text fits each author, by several rules
calibration.py     probabilities from scores, and whether they come true
copies.py          texts that are the same but for a heading or some names
authors.py         who wrote a text, and how sure that is
imposters.py       is a text by an author at all
clues.py           what speaks for an author, with rates and places
numbers.py         a number, such as the year of a text, from its style
classifier.py      labels as scikit-learn classifiers
"""
