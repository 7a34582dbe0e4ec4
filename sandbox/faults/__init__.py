"""What is to go wrong in an account, on demand: a typed table of faults, and who makes them happen."""
