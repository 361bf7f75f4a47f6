"""Peak resident memory of this process."""

import re
import resource
from pathlib import Path

_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def measure_peak_kilobytes() -> int:
    """Return the peak resident memory of this program in kilobytes.

    `getrusage` includes the memory that the parent had when it forked (Linux keeps the peak over
    `execve`), so it is too high for a small program started by a large one.
    """
    try:
        found = _PEAK.search(Path("/proc/self/status").read_text(encoding="ascii"))
    except OSError:
        found = None
    if found is None:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(found[1])
