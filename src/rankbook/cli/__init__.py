"""The command `rankbook`: one file a subcommand, put together in `main`."""
