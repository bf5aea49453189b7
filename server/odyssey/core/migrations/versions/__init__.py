"""One file for each step of the schema, never changed once it has been applied anywhere."""
