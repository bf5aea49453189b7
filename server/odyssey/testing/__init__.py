"""A platform inside the tests of an agent: the pytest plugin and what its fixture gives."""
