"""Where all of HTTP comes together: `front.py` parts tool calls from the rest, `app.py` mounts the rooms' routers.

What every request passes stands in `edges.py`, how every error leaves in `problems.py`. Routes live in their rooms.
"""
