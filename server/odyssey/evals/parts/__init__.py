"""The parts of the distance between two behaviours, each from 0 to 1 and each pure."""
