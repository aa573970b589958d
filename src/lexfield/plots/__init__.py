"""Figures from results. Results do not import this package; ``lexfield`` connects the two."""
