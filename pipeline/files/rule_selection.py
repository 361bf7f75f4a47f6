"""Selection of rules by their effect on precision and redaction, stored as TOML for detection.

A rule is a detector and a label, such as `rules.names:FIRST_NAME`.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field

from pipeline.notes.selected_rules import LISTS, OTHERS, rule_of
from record.span import Span
from record.tokens import tokens

TOLERANCE = 0.005
MAX_LOSS = 0.002


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """Measurements of one rule: counts of tokens, and the effect of leaving it out.

    `tokens` is the number of covered tokens, `wrong` of those outside gold, `alone` and
    `alone_wrong` of those covered by no other detector. `gain` is the gain in precision when the
    rule is left out of the rules in use at that time; `loss` the total loss of redaction by then.
    """

    rule: str
    tokens: int
    wrong: int
    alone: int
    alone_wrong: int
    gain: float
    loss: float


@dataclass(frozen=True)
class Selection:
    """The result of a selection: rules left out, with the measurements of all rules.

    `unjudged` rules have labels that gold lacks, and are used. `kept` rules lower precision but
    are used, since too much of gold is covered by no other detector. Precision and redaction are
    shares of tokens with a letter or digit, before and after.
    """

    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    precision: tuple[float, float] = (0.0, 0.0)
    redacted: tuple[float, float] = (0.0, 0.0)
    choices: tuple[RuleChoice, ...] = ()


@dataclass
class TokenCoverage:
    """Counts of tokens by the set of rules that cover them, and whether they are gold."""

    counts: Counter[tuple[frozenset[str], bool]] = field(default_factory=Counter)

    def add(self, text: str, gold: Iterable[Span], found: Iterable[Span]) -> None:
        """Count the tokens of a note that have a letter or digit."""
        wanted = list(gold)
        spans = sorted((span.start, span.end, rule_of(span)) for span in found)
        first = 0
        longest = max((end - start for start, end, _ in spans), default=0)
        for start, end in tokens(text):
            if not any(char.isalnum() for char in text[start:end]):
                continue
            while first < len(spans) and spans[first][0] + longest <= start:
                first += 1
            over = set()
            for low, high, rule in spans[first:]:
                if low >= end:
                    break
                if high > start:
                    over.add(rule)
            is_gold = any(span.start < end and start < span.end for span in wanted)
            if over or is_gold:
                self.counts[frozenset(over), is_gold] += 1

    def rules(self) -> set[str]:
        """Return all rules that cover any token."""
        return set().union(*(over for over, _ in self.counts)) - {OTHERS}


def choose_rules(
    cells: TokenCoverage,
    judged: Collection[str],
    *,
    tolerance: float = TOLERANCE,
    max_loss: float = MAX_LOSS,
) -> Selection:
    """Leave out the rules whose addition to all others lowers precision by more than `tolerance`.

    One rule is left out at a time, the most harmful first, and the others are measured again. A
    rule is kept if without it, and those left out before, redaction would fall by more than
    `max_loss`. Unjudged rules are used; tokens outside gold that they cover are not counted, since
    their correctness is unknown. Both bounds are shares of tokens.
    """
    every = cells.rules()
    unjudged = every - set(judged)
    counts = Counter[tuple[frozenset[str], bool]]()
    for (over, is_gold), number in cells.counts.items():
        if is_gold or not over & unjudged:
            counts[over, is_gold] += number
    active = every | {OTHERS}
    start = _compute_rates(counts, active)
    choices: dict[str, RuleChoice] = {}
    dropped: list[str] = []
    while True:
        now = _compute_rates(counts, active)
        for rule in sorted(active - unjudged - {OTHERS}):
            without = _compute_rates(counts, active - {rule})
            gain, loss = without[0] - now[0], start[1] - without[1]
            choices[rule] = RuleChoice(rule, *_count_tokens(counts, rule, active), gain, loss)
        harmful = [
            choice
            for rule, choice in choices.items()
            if rule in active and choice.gain > tolerance and choice.loss <= max_loss
        ]
        if not harmful:
            break
        worst = max(harmful, key=lambda choice: (choice.gain, choice.rule))
        dropped.append(worst.rule)
        active -= {worst.rule}
    end = _compute_rates(counts, active)
    kept = [rule for rule, c in choices.items() if rule in active and c.gain > tolerance]
    return Selection(
        tuple(dropped),
        tuple(sorted(kept)),
        tuple(sorted(unjudged)),
        (start[0], end[0]),
        (start[1], end[1]),
        tuple(choices[rule] for rule in sorted(choices)),
    )


def dump_selection(selection: Selection, detector_version: str) -> str:
    """Return a selection as TOML, with its measurements and the version of the rules."""
    lines = [
        "# Selection of rules: `cryptonym detect --selection` reads only `dropped`.",
        f"detector_version = {json.dumps(detector_version)}",
        *(f"{name} = {_format_list(getattr(selection, name))}" for name in LISTS),
        "",
        "[measured]",
    ]
    for name in ("precision", "redacted"):
        before, after = getattr(selection, name)
        lines += [f"{name}_of_all = {before:.6f}", f"{name} = {after:.6f}"]
    for choice in selection.choices:
        lines += ["", f"[rules.{json.dumps(choice.rule)}]"]
        for name, value in asdict(choice).items():
            if name != "rule":
                lines.append(
                    f"{name} = {value:.6f}" if isinstance(value, float) else f"{name} = {value}"
                )
    return "\n".join(lines) + "\n"


def _format_list(names: Sequence[str]) -> str:
    return "[" + ", ".join(map(json.dumps, names)) + "]"


def _compute_rates(
    counts: Counter[tuple[frozenset[str], bool]], active: Collection[str]
) -> tuple[float, float]:
    """Return precision and redaction of the union of the active detectors."""
    hits = Counter({True: 0, False: 0})
    gold = 0
    for (over, is_gold), number in counts.items():
        gold += number * is_gold
        hits[is_gold] += number * (not over.isdisjoint(active))
    covered = hits.total()
    return hits[True] / covered if covered else 0.0, hits[True] / gold if gold else 0.0


def _count_tokens(
    counts: Counter[tuple[frozenset[str], bool]], rule: str, active: Collection[str]
) -> tuple[int, int, int, int]:
    """Return the token counts of a rule: all, outside gold, and both for those it covers alone."""
    found, wrong, alone, alone_wrong = 0, 0, 0, 0
    for (over, is_gold), number in counts.items():
        if rule in over:
            is_alone = not (over & set(active)) - {rule}
            found += number
            wrong += number * (not is_gold)
            alone += number * is_alone
            alone_wrong += number * (is_alone and not is_gold)
    return found, wrong, alone, alone_wrong
