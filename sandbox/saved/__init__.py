"""What outlives the sandbox's processes: the state of its accounts, in files that are whole or not used."""
