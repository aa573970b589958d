"""One global Mahalanobis metric, learned from clusters of things that mean the same."""
