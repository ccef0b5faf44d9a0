"""`python -m rankbook` is the command."""

from rankbook.cli.main import main

main()
