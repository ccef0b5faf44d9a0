"""Rankings over the engine, in LMDB files beside the book."""
