"""Answers of live services, recorded with a run (`record.py`) and played to another (`playback.py`)."""
