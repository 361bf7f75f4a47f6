"""Exit codes of every command."""

EXIT_DONE, EXIT_GATE, EXIT_USAGE, EXIT_QUARANTINE, EXIT_UNAVAILABLE = 0, 1, 2, 3, 4
"""Done; a gate blocked publication; usage or configuration error; too many notes in quarantine; a
required service is unavailable."""
