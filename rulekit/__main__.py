"""`python -m rulekit` is the command line."""

from rulekit.cli import main

if __name__ == "__main__":
    main()
