"""Exit codes of every command."""

EXIT_DONE, EXIT_GATE, EXIT_USAGE, EXIT_QUARANTINE, EXIT_UNAVAILABLE = 0, 1, 2, 3, 4
"""Done; a gate said no; usage or configuration; too much in quarantine; a service is away."""
