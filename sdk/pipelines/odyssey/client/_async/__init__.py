"""The parts of the client, one file for each kind of thing on the platform."""
