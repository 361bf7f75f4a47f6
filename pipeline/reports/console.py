"""Terminal output of commands: messages, progress bars and summaries, or plain lines."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from rich.console import Console as Terminal
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.progress import Progress as Bar
from rich.prompt import Prompt
from rich.text import Text

from pipeline.config.progress import Progress, ProgressMode
from pipeline.reports.progress_lines import ProgressLines
from pipeline.state.run_summary import Outcome, RunSummary


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
        self._lines: ProgressLines | None = None
        self._has_bar = self._is_bar_shown = False

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
        if summary.detection:
            self.say(f"detection: {'; '.join(summary.detection)}")
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
        unchanged = notes[Outcome.UNCHANGED.value]
        if unchanged and +notes == _count_idle(unchanged):
            noun = "note" if unchanged == 1 else "notes"
            self.say(f"nothing to do: {unchanged} {noun} unchanged")

    def backfill(self, told: Mapping[str, Any]) -> None:
        """Print how far notes of earlier detectors are detected again (see `BackfillProgress`)."""
        self.say(describe_backfill(told))

    @contextmanager
    def watching(self, mode: ProgressMode, *, early: bool) -> Iterator[None]:
        """Show progress in this way while a command runs, with `early` from its very start.

        On a terminal, until the command tells of progress itself, that is a line of text too.
        """
        is_automatic = mode is ProgressMode.AUTO
        if mode is ProgressMode.NONE or (is_automatic and self._quiet):
            yield
            return
        self._has_bar = is_automatic and not self._plain
        self._lines = ProgressLines(self._write_line, as_json=mode is ProgressMode.JSON)
        with self._lines.ticking() if early else nullcontext():
            yield

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show phases and progress: a bar on a terminal, otherwise a line every 5 seconds."""
        lines = self._lines
        if lines is None:
            yield Progress()
            return
        if self._has_bar:
            yield from self._show_bar(lines)
        else:
            yield Progress(lines.phase, lines.advance, lines.idle)
        lines.finish()

    def _show_bar(self, lines: ProgressLines) -> Iterator[Progress]:
        columns = (
            TextColumn("{task.description:<14}"),
            BarColumn(),
            MofNCompleteColumn(),
            _EstimateColumn(lines),
        )
        self._is_bar_shown = True
        try:
            with Bar(*columns, console=self._err, transient=True) as bar:
                task = bar.add_task("starting", total=None)

                def begin(name: str) -> None:
                    # A task that is reset keeps its total.
                    nonlocal task
                    lines.phase(name)
                    bar.remove_task(task)
                    task = bar.add_task(name, total=None)

                def advance(done: int, planned: int) -> None:
                    lines.advance(done, planned)
                    bar.update(task, completed=done, total=planned or None)

                yield Progress(phase=begin, advance=advance, idle=lambda: begin("waiting"))
        finally:
            self._is_bar_shown = False

    def _write_line(self, line: str) -> None:
        if not self._is_bar_shown:
            self._err.print(line, markup=False)


def _count_idle(unchanged: int) -> Counter[str]:
    """Return the outcomes of a run that found as many notes as before, all as they were."""
    outcomes = (Outcome.PLANNED, Outcome.READ, Outcome.UNCHANGED)
    return Counter({outcome.value: unchanged for outcome in outcomes})


class _EstimateColumn(ProgressColumn):
    """Units per second and time left, as lines tell them: also where the plan changes."""

    def __init__(self, lines: ProgressLines) -> None:
        super().__init__()
        self._lines = lines

    def render(self, task: Task) -> Text:  # noqa: ARG002 - what rich counts is not used
        """Return rate and time left; nothing where they are unknown."""
        return Text(self._lines.describe_estimate())
