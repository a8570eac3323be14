"""Lets `python -m harkback` stand for `hark`."""

from harkback.cli import run

if __name__ == "__main__":
    run()
