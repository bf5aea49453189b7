"""Graders that ask a model: it answers the questions of a rubric; what the answers are worth is computed here."""
