"""What left and what people decided, for the reports: cohort releases, decisions of the gate."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import settled
from pipeline.reports.charts import Panel, make_panel
from pipeline.reports.run_report import TEMPLATES, write_report_file
from pipeline.state.ledger import open_state
from pipeline.state.quality_store import GateDecision
from pipeline.state.release_register import PastRelease, read_register

PAGE = "releases.html"

_SHOWN = 100
_COHORTS = 12


@dataclass(frozen=True)
class Past:
    """Releases and decisions, latest first."""

    releases: Sequence[PastRelease] = ()
    decisions: Sequence[GateDecision] = ()

    def lately(self, number: int) -> "Past":
        """Return the last ones of each."""
        return Past(self.releases[:number], self.decisions[:number])


def read_past(settings: Settings) -> Past:
    """Read the last releases and decisions; raises as opening the state database does."""
    state = settled(settings).state
    with closing(open_state(state, settings.base)) as opened:
        decisions = opened.quality.decisions()[: -_SHOWN - 1 : -1]
    return Past(read_register(state, settings.base, limit=_SHOWN), decisions)


def write_past(settings: Settings) -> None:
    """Write the page of releases and decisions; raises Unavailable where it cannot be written."""
    write_report_file(settings.base / settings.report.folder / PAGE, render(read_past(settings)))


def render(past: Past) -> str:
    """Draw releases and decisions as one page that loads nothing and runs no script."""
    names = list(dict.fromkeys(each.cohort for each in past.releases))[:_COHORTS]
    told = {
        name: [r for r in past.releases[::-1] if r.cohort == name and r.labels] for name in names
    }
    cohorts = [(name, label_panels(some), len(some)) for name, some in told.items() if some]
    return TEMPLATES.get_template("releases.html.j2").render(past=past, cohorts=cohorts)


def label_panels(releases: Sequence[PastRelease]) -> list[Panel]:
    """Draw how many surrogates of each label a released note holds, release by release."""
    labels = sorted({label for each in releases for label in each.labels})
    panels = []
    for label in labels:
        counts = [each.labels.get(label, 0) for each in releases]
        rates = [
            count / each.released if each.released else None
            for count, each in zip(counts, releases, strict=True)
        ]
        panels.append(make_panel(label, rates, total=sum(counts)))
    return sorted(panels, key=lambda each: (-each.total, each.title))
