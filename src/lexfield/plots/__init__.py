"""Figures from results. Results never import plots."""
