"""The binaries and charts of the sandbox: built once from pinned Go modules, kept by version in the user's cache."""

from sandbox.build.binaries import Binaries, MissingBinaries, resolve

__all__ = ["Binaries", "MissingBinaries", "resolve"]
