"""Whether an agent keeps the wire contract: checks behind `odyssey doctor` and `odyssey conformance`."""
