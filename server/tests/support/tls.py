"""The certificates of the system, read once: a client of its own for every case would read them every time."""

import ssl

TLS = ssl.create_default_context()
