"""Identity policies: reading them and deciding requests by them. Pure; knows nothing of the rest of the sandbox."""
