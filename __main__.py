"""`python -m aurora` is `aur`."""

import sys

from aurora.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
