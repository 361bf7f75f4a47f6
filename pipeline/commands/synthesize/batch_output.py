"""Output of the commands that write synthetic notes in batches."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

if TYPE_CHECKING:
    from pipeline.synthetic.schedule.scheduled_run import SynthesisResult


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


def show_result(result: "SynthesisResult", console: Console) -> None:
    """Say which stages were done, the verdict with its reasons, and where everything is."""
    done = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in result.seconds.items())
    console.say(f"done: {done or 'nothing'}; unchanged: {', '.join(result.reused) or 'nothing'}")
    if result.counts:
        console.say(
            f"notes: {result.counts['generated']} generated, {result.counts['dropped']} dropped "
            f"as copies, {result.counts['disagreeing']} for their annotations, "
            f"{result.counts['notes']} left"
        )
    console.say(result.verdict)
    for reason in result.reasons:
        console.say(f"  {reason}")
    if result.advice:
        console.say("advice:")
    for advice in result.advice:
        console.say(f"  {advice}")
    console.say(f"report: {result.report}")
    if result.exit_code:
        console.say(f"nothing was published; pages for reviewers: {result.pages or 'none'}")
    else:
        what = "published in" if result.is_changed else "published already, in"
        console.say(f"{what} {result.output}")
