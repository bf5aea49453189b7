"""The Odyssey platform. ARCHITECTURE.md says what lives in which room."""

__version__ = "0.1.0"
