"""The start of a worker process: `python -m pipeline.beam.process MODULE ...` runs that module."""

import sys
from importlib import import_module

from record.garbage_collection import pause_garbage_collection


def main() -> int:
    """Import the module that is named first, and return what its `main` does.

    Looking for reference cycles among what libraries load would take a quarter of the start.
    """
    name = sys.argv.pop(1)
    with pause_garbage_collection():
        module = import_module(name)
    code: int = module.main()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
