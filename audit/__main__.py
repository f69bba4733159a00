"""`python -m audit` is `catwalk`."""

from audit.cli import main

if __name__ == "__main__":
    main(prog_name="catwalk")
