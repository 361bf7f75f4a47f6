"""Terminal output of commands: messages, progress bars and summaries, or plain lines."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

from rich.console import Console as Terminal
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.prompt import Prompt

from pipeline.config.progress import Progress
from pipeline.state.run_summary import Outcome, RunSummary

_SECONDS_BETWEEN_LINES = 10.0


def describe_backfill(told: Mapping[str, Any]) -> str:
    """Describe the progress of a backfill in a line: notes, what is left, and the time left."""
    line = f"backfill: {told['done']} notes detected again, {told['left']} left"
    if told["left"] and told["nights_left"] is not None:
        line += f", about {told['hours_left']:.1f} h in {told['nights_left']} nights"
    if len(told["cohorts"]) > 1:
        left = (f"{each['cohort']} {each['left']}" for each in told["cohorts"])
        line += f" (left: {', '.join(left)})"
    return line


class Console:
    """Writes to standard output and standard error; only errors and warnings when `quiet`."""

    def __init__(self, *, plain: bool = False, quiet: bool = False) -> None:
        self._out = Terminal(highlight=False, soft_wrap=True)
        self._err = Terminal(stderr=True, highlight=False, soft_wrap=True)
        self._plain = plain or not self._err.is_terminal
        self._quiet = quiet

    def say(self, text: str) -> None:
        """Print text to standard output without markup."""
        if not self._quiet:
            self._out.print(text, markup=False)

    def ask(self, question: str) -> str:
        """Ask a question on standard error until there is an answer; returns it."""
        answer = ""
        while not answer:
            answer = Prompt.ask(question, console=self._err).strip()
        return answer

    def error(self, text: str) -> None:
        """Print an error to standard error."""
        self._err.print(f"cryptonym: error: {text}", markup=False)

    def warn(self, text: str) -> None:
        """Print a warning to standard error, also when quiet."""
        self._err.print(f"cryptonym: warning: {text}", markup=False)

    def summary(self, summary: RunSummary, *, resumed: bool) -> None:
        """Print a short summary of a run."""
        notes = summary.tally.outcomes
        counts = ", ".join(f"{notes[outcome.value]} {outcome.value}" for outcome in Outcome)
        suffix = " (resumed)" if resumed else ""
        self.say(f"run {summary.run_id}{suffix}: {counts}; {summary.seconds:.1f} s")
        labels: Counter[str] = Counter()
        for (label, _, _), count in summary.tally.spans.items():
            labels[label] += count
        if labels:
            ranked = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
            self.say("replaced: " + ", ".join(f"{label} {count}" for label, count in ranked))
        causes: Counter[tuple[str, str, str]] = Counter()
        for (stage, error, reason, _), count in summary.tally.quarantine.items():
            causes[stage, error, reason] += count
        for (stage, error, reason), count in sorted(causes.items()):
            self.say(f"quarantined: {count} at {stage}: {error} {reason}".rstrip())

    def backfill(self, told: Mapping[str, Any]) -> None:
        """Print how far notes of earlier detectors are detected again (see `BackfillProgress`)."""
        self.say(describe_backfill(told))

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show phases and progress: a bar on a terminal, otherwise a line every 10 seconds."""
        if self._quiet:
            yield Progress()
        elif self._plain:
            yield self._lines()
        else:
            columns = (
                TextColumn("{task.description:<14}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            with Bar(*columns, console=self._err, transient=True) as bar:
                task = bar.add_task("starting", total=None)
                yield Progress(
                    phase=lambda name: bar.update(task, description=name, completed=0, total=None),
                    advance=lambda done, all_: bar.update(task, completed=done, total=all_ or None),
                )

    def _lines(self) -> Progress:
        printed, last = 0, monotonic()

        def advance(done: int, planned: int) -> None:
            nonlocal printed, last
            is_time = done == planned or monotonic() - last > _SECONDS_BETWEEN_LINES
            if done != printed and is_time:
                printed, last = done, monotonic()
                self._err.print(f"{done} of {planned} notes" if planned else f"{done} notes")

        def phase(name: str) -> None:
            self._err.print(f"{name} ...")

        return Progress(phase, advance)
