"""Output of the commands that write synthetic notes in batches."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console


def print_manifest(
    manifest: Mapping[str, Any], lines: Sequence[str], options: argparse.Namespace, console: Console
) -> int:
    """Print what was written, as JSON if requested, and return the exit code."""
    if options.json:
        sys.stdout.write(json.dumps(manifest, sort_keys=True) + "\n")
    for line in lines:
        console.say(line)
    console.say(f"wrote {options.output}; give it to `synthesize screen`: it may not leave yet")
    return EXIT_DONE
