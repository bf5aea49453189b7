"""Where all of HTTP comes together: `front.py` parts tool calls from the rest, `app.py` mounts the rooms' routers.

What every request passes, and how every error leaves, stands in `edges.py`. Routes live in their rooms.
"""
