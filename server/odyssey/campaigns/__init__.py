"""One life cycle for many runs of one agent: batches and matrices are two sources of it.

`source.py` is the seam: what a kind of campaign says about its runs. In the order in which a campaign lives: `check.py`
pings its agent once, `feed.py` makes its runs a chunk at a time, `ending.py` cancels, resumes and completes it.
`loop.py` does all of that for every campaign, and `repository.py` has the SQL, where every step is fenced.
"""
