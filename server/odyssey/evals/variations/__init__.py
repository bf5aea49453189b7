"""Pressures: `variation.py` says what one is, `catalogue.py` has the seven of ours, `render.py` makes the texts."""
