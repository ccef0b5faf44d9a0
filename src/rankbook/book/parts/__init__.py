"""The parts of a book: which rankings each holds, folding each, and reading them as one."""
