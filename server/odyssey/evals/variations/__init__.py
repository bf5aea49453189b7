"""Pressures: `texts.py` says what one is and makes its texts, `catalogue.py` has the seven of ours."""
