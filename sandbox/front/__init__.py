"""The one AWS endpoint of the sandbox: principals, call log, routing to the emulators and to our own services."""
