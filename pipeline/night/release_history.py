"""History of cohort releases and gate decisions, and the HTML page that shows it."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from pipeline.config.settings import Settings
from pipeline.notes.worker_resources import resolve_urls
from pipeline.reports.charts import Panel, make_panel
from pipeline.reports.run_report import TEMPLATES, write_report_file
from pipeline.state.ledger import open_state
from pipeline.state.quality_store import GateDecision
from pipeline.state.release_register import PastRelease, read_register

PAGE = "releases.html"

_SHOWN = 100
_COHORTS = 12


@dataclass(frozen=True)
class ReleaseHistory:
    """Cohort releases and gate decisions, latest first."""

    releases: Sequence[PastRelease] = ()
    decisions: Sequence[GateDecision] = ()

    def latest(self, number: int) -> "ReleaseHistory":
        """Return the latest releases and decisions, at most `number` of each."""
        return ReleaseHistory(self.releases[:number], self.decisions[:number])


def read_release_history(settings: Settings) -> ReleaseHistory:
    """Read the latest releases and decisions; raises as opening the state database does."""
    state = resolve_urls(settings).state
    with closing(open_state(state, settings.base)) as opened:
        decisions = opened.quality.decisions()[: -_SHOWN - 1 : -1]
    return ReleaseHistory(read_register(state, settings.base, limit=_SHOWN), decisions)


def write_release_page(settings: Settings) -> None:
    """Write the page of releases and decisions; raises Unavailable when it cannot be written."""
    write_report_file(
        settings.base / settings.report.folder / PAGE,
        render_release_page(read_release_history(settings)),
        mode=settings.report.file_mode,
    )


def render_release_page(past: ReleaseHistory) -> str:
    """Return releases and decisions as an HTML page that loads nothing."""
    names = list(dict.fromkeys(each.cohort for each in past.releases))[:_COHORTS]
    by_cohort = {
        name: [r for r in past.releases[::-1] if r.cohort == name and r.labels] for name in names
    }
    cohorts = [
        (name, make_cohort_panels(some), len(some)) for name, some in by_cohort.items() if some
    ]
    return TEMPLATES.get_template("releases.html.j2").render(past=past, cohorts=cohorts)


def make_cohort_panels(releases: Sequence[PastRelease]) -> list[Panel]:
    """Return a chart per label: surrogates per released note, release by release."""
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
