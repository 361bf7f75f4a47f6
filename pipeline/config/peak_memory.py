"""How much memory this process has needed at most."""

import re
import resource
from pathlib import Path

_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def peak_kilobytes() -> int:
    """Return the highest resident memory of this program.

    `getrusage` gives that of the process, which begins with what its parent had when it forked
    (Linux keeps it over `execve`): a small program started by a large one looks large.
    """
    try:
        found = _PEAK.search(Path("/proc/self/status").read_text(encoding="ascii"))
    except OSError:
        found = None
    if found is None:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(found[1])
