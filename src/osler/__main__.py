"""`python -m osler` is the command line."""

from osler.cli import main

if __name__ == "__main__":
    main()
