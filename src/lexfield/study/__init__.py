"""The questionnaire: design, ask (terminal and browser), analyse."""
