"""Lines that say how tools behave, where people write them: read with what is known, and what is unclear."""
