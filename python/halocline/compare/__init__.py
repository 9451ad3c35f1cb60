"""Which side is faster, by how much, and how sure that is."""
