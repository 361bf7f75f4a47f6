"""Resolution of overlapping spans: every covered character stays covered, by one span."""

import heapq
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from record.label import RULE_MARK, Label
from record.span import Span
from rules.identifiers.proven_numbers import holds_check_digits

Precedence = Callable[[Span], tuple[object, ...]]
"""A sort key of spans: of overlapping ones that with the smallest key wins."""

_OWN_LABELS = frozenset(Label)
_NAME_LABELS = (Label.FIRST_NAME, Label.LAST_NAME, Label.NAME)
_CERTAIN = 0
_CHECKED_LABELS = frozenset(
    (
        *(Label.SSN, Label.INSURANCE_ID, Label.PATIENT_ID, Label.PROVIDER_ID),
        *(Label.ACCOUNT, Label.VEHICLE_ID),
    )
)
_KEPT_BEFORE: dict[str, str] = dict.fromkeys((Label.PHONE, Label.FAX), "+(")
_KEPT_BEHIND: dict[str, str] = dict.fromkeys(_NAME_LABELS, ".")
# Combining marks are part of a letter; private use characters may be letters of a broken font.
_STRIPPED = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp", *(f"P{kind}" for kind in "cdefios")))
_STRIPPED |= {f"S{kind}" for kind in "ckmo"}
_DOTTED = re.compile(r"(?<!\w)[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+$")  # `S.A`, `EE.UU`
_BRACKETS = {")": "(", "]": "[", "»": "«", "”": "“"}


def resolve_spans(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """Return sorted, disjoint spans that cover every code point covered by the input.

    The longest span wins, then known values of the patient, then the more trusted label, the
    higher score, the leftmost span and the label in alphabetical order, so that the result does
    not depend on the order of the input. Of spans of the same extent the model's label is trusted
    over a rule's, unless the rule's is a postal code or a number that checks by its digits, either
    is a date of birth, or both are names of persons, which rules tell apart by their lists. The
    part of a losing span outside the winners remains a span of its own label; without a letter or
    digit it is joined to the adjacent span. Resolving twice changes nothing.
    """
    found = set(spans)
    ranked = sorted(found, key=make_precedence(found, text))
    return tuple(_join_punctuation(_assign_to_best(ranked), text))


def resolve_beside_tagger(
    spans: Iterable[Span], text: str, rule_labels: Mapping[str, str]
) -> tuple[Span, ...]:
    """Return sorted, disjoint spans where the tagger has labels that are a site's own.

    The tagger's spans stay as they are, and so its scores in its labels. Beside them stands what
    only others cover, by `precedence`: a whole span with the label that `rule_labels` has for its
    own, any other and the parts of spans with their own label behind RULE_MARK. Everything that
    the input covers stays covered, but for white space.
    """
    found = set(spans)
    pieces = _assign_to_best(sorted(found, key=precedence_beside_tagger))
    resolved: list[Span] = []
    for is_model, group in groupby(pieces, key=_is_of_model):
        if is_model:
            resolved += group
            continue
        for piece in _join_punctuation(list(group), text):
            marked = replace(piece, label=f"{RULE_MARK}{piece.label}")
            if piece not in found:
                resolved += trim_spans([marked], text)
            elif label := rule_labels.get(piece.label):
                resolved.append(replace(piece, label=label))
            else:
                resolved.append(marked)
    return tuple(resolved)


def has_own_labels(labels: Iterable[str]) -> bool:
    """Return whether labels of a tagger are a site's own, which rules do not know."""
    return not _OWN_LABELS.issuperset(labels)


def trim_spans(spans: Iterable[Span], text: str) -> list[Span]:
    """Strip whitespace and punctuation from both ends of a model's spans; drop empty ones.

    This comes before `resolve_spans`: a trailing comma must not make a span the longer one.
    Of labels that are not ours only whitespace is stripped: how a site annotates them is its own
    affair. Letters and digits stay covered, and so do a `+` or `(` before a telephone number, the
    dot of an initial, the last dot of an abbreviation (one followed by another dot, or as in
    `S.A.`), and a bracket or quotation mark that closes one within the span.
    """
    found = []
    for span in spans:
        start, end = span.start, span.end
        if span.label not in _OWN_LABELS:
            covered = text[start:end]
            start += len(covered) - len(covered.lstrip())
            end -= len(covered) - len(covered.rstrip())
            if start < end:
                found.append(replace(span, start=start, end=end))
            continue
        while start < end and _is_strippable(text[start], _KEPT_BEFORE.get(span.label, "")):
            start += 1
        while start < end and _is_strippable(
            text[end - 1], _find_kept_ending(span, text[start:end], text[end : end + 2])
        ):
            end -= 1
        if not all(_is_strippable(char, "") for char in text[start:end]):
            found.append(replace(span, start=start, end=end))
    return found


def _is_strippable(char: str, kept: str) -> bool:
    return char not in kept and unicodedata.category(char) in _STRIPPED


def _find_kept_ending(span: Span, covered: str, after: str) -> str:
    """Return the last character if it belongs to the text before it, else an empty string."""
    last, before = covered[-1], covered[:-1]
    if last in _BRACKETS:
        return last if before.count(_BRACKETS[last]) > before.count(last) else ""
    if last == '"':
        return last if before.count(last) % 2 else ""
    if last == after[:1] == "." and after != ".." and before[-1:].isalpha():
        return last
    if last == "." and _DOTTED.search(before):
        return last
    return _KEPT_BEHIND.get(span.label, "") if before[-1:].isalpha() else ""


def make_precedence(spans: Collection[Span], text: str) -> Precedence:
    """Return the sort key of spans in a text, which knows the numbers that check by their digits.

    Only those of rules are looked at for which a model has another label.
    """
    model = {(span.start, span.end) for span in spans if _is_of_model(span)}
    checked = {
        span
        for span in spans
        if model
        and span.label in _CHECKED_LABELS
        and (span.start, span.end) in model
        and not _is_of_model(span)
        and holds_check_digits(text[span.start : span.end])
    }
    if not checked:
        return precedence
    return lambda span: precedence(span, is_checked=span in checked)


def precedence(span: Span, *, is_checked: bool = False) -> tuple[object, ...]:
    """Return the sort key of a span; of overlapping spans the one with the smallest key wins."""
    known = span.detector.startswith("known")
    trust = _CERTAIN if is_checked else _rank_label_trust(span)
    return (
        *(span.start - span.end, not known, trust, -span.score),
        *(span.start, span.label, span.detector),
    )


def precedence_beside_tagger(span: Span) -> tuple[object, ...]:
    """Return the sort key of a span beside a tagger whose labels are a site's own."""
    return not _is_of_model(span), *precedence(span)


def _is_of_model(span: Span) -> bool:
    return span.detector.startswith("model")


def _rank_label_trust(span: Span) -> int:
    """Return the rank of a label's trust among spans of the same extent, 0 for the most trusted.

    A date of birth is treated more strictly than another date, so that whoever sees one is right.
    """
    is_name = span.label in _NAME_LABELS
    if span.label == Label.BIRTH_DATE:
        return _CERTAIN
    if _is_of_model(span):
        if span.label not in _OWN_LABELS:
            return _CERTAIN
        return 3 if is_name else 1
    if span.label == Label.ZIP:
        return _CERTAIN  # a tagger may have learnt towns and their numbers under one label
    if span.label == Label.ID:
        return 5
    return 2 if is_name else 4


def _assign_to_best(ranked: Sequence[Span]) -> list[Span]:
    """Assign every covered code point to the best span over it; join adjacent pieces of a span."""
    opening = sorted(range(len(ranked)), key=lambda rank: ranked[rank].start)
    borders = sorted({edge for span in ranked for edge in (span.start, span.end)})
    active: list[int] = []
    pieces: list[tuple[int, int, int]] = []
    opened = 0
    for start, end in pairwise(borders):
        while opened < len(opening) and ranked[opening[opened]].start <= start:
            heapq.heappush(active, opening[opened])
            opened += 1
        while active and ranked[active[0]].end <= start:
            heapq.heappop(active)
        if not active:
            continue
        if pieces and pieces[-1][0] == active[0] and pieces[-1][2] == start:
            pieces[-1] = (active[0], pieces[-1][1], end)
        else:
            pieces.append((active[0], start, end))
    return [_crop(ranked[rank], start, end) for rank, start, end in pieces]


def _crop(span: Span, start: int, end: int) -> Span:
    if span.start == start and span.end == end:
        return span  # the usual case: copying would take a quarter of the time of resolving
    return replace(span, start=start, end=end)


def _join_punctuation(spans: Sequence[Span], text: str) -> list[Span]:
    """Join pieces without letter or digit to an adjacent span: a comma has no surrogate."""
    result: list[Span] = []
    pending: Span | None = None
    for span in spans:
        current = span
        if pending is not None:
            if pending.end == span.start:
                current = replace(span, start=pending.start)
            else:
                result.append(pending)
            pending = None
        if any(map(str.isalnum, text[current.start : current.end])):
            result.append(current)
        elif result and result[-1].end == current.start:
            result[-1] = replace(result[-1], end=current.end)
        else:
            pending = current
    if pending is not None:
        result.append(pending)
    return result
