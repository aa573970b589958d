"""Questionnaires: make one, ask people in the terminal or the browser, and analyse the answers."""
