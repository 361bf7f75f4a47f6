"""The start of a worker process: `python -m pipeline.beam.process MODULE ...` runs a module."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from record.garbage_collection import pause_garbage_collection

_CONNECTORS = ("boto3", "pandas", "pymongo")
"""What Apache Beam imports where it is installed, for connectors that no worker of ours uses."""


@contextmanager
def leave_out_connectors() -> Iterator[None]:
    """Let Beam find none of its connectors' libraries within the block; afterwards all can be had.

    They would take a tenth of the start.
    """
    hidden = [name for name in _CONNECTORS if name not in sys.modules]
    # An import of what is None there fails as that of a module which is not installed.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def end_at_interrupts() -> None:
    """Have an interrupt end this process at once, as a kill does, also one that came before.

    Raised within a stage it would come out of Beam as the failure of a runner, whose worker is
    started again. Where interrupts are ignored, as below nohup, they still are.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def main() -> int:
    """Import the module that is named first, and return what its `main` does.

    After `--interruptible` an interrupt ends this process. Looking for reference cycles among what
    libraries load would take a quarter of the start.
    """
    if sys.argv[1] == "--interruptible":
        del sys.argv[1]
        end_at_interrupts()
    name = sys.argv.pop(1)
    with pause_garbage_collection(), leave_out_connectors():
        module = import_module(name)
    code: int = module.main()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
