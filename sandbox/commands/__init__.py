"""The commands of ``python -m sandbox``, one file each."""
