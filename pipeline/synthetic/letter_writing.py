"""Writes synthetic letters out of masked ones, and refuses those that still identify."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.attacks.own_passages import OwnPassages
from models.language.masked.masked_model import MaskedFiller
from models.language.masked.private_filling import ExponentialMechanism, PrivateFiller
from pipeline.files.pseudonymization import load_policy
from pipeline.notes.error_boundary import attempt
from pipeline.notes.worker_resources import open_key
from pipeline.synthetic.own_identifiers import OwnIdentifiers
from record.document import Annotated
from record.errors import ConfigError
from record.failure import Failure
from record.languages import LANGUAGES
from record.patient import PatientRecord
from record.policy import Action, Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.places.places import is_kept
from surrogates.rewrite import Rewriter
from synthesis.filling import FilledDocument, Filler, FillingRequest, fill
from synthesis.filling_files import Cohort, FillingJob
from synthesis.masked_letters import load_letters
from synthesis.masking import MaskedDocument, MaskingDecision, Phase


class CohortSurrogates:
    """Draws surrogates under the key of a cohort: one person one name, one shift of all dates.

    Raises ConfigError where the policy keeps anything that identifies.
    """

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        kept = sorted(label for label, act in policy.actions.items() if act is Action.KEEP)
        if kept:
            problem = f"must not keep any label, but keeps {kept[0]}"
            raise ConfigError("--policy", problem, "replace or mask it, or leave --policy out")
        self._rewriter = Rewriter(cohort, policy)
        self._policy = policy

    def keeps(self, label: str, value: str) -> bool:
        """Return whether a value stays, since it tells nobody apart: the country of all places."""
        return is_kept(label, value, self._policy)

    def of(
        self, letter: MaskedDocument, person: str, record: PatientRecord
    ) -> Mapping[MaskingDecision, str]:
        """Return surrogates of a letter's identifiers, as if it were `person`'s.

        Letters of the same person have the same surrogates, and none of what the `record` holds is
        among them. Raises Unsafe where a label has none.
        """
        document = replace(letter.document, person_id=person)
        identifiers = letter.identifiers
        known = replace(record, person_id=person)
        released = self._rewriter.rewrite(document, identifiers, known)
        found = {
            (span.start, span.end): released.text[made.start : made.end]
            for span, made in zip(identifiers, released.spans, strict=True)
        }
        return {
            each: found[each.start, each.end]
            for each in letter.decisions
            if (each.start, each.end) in found and each.is_masked
        }


POLICY = "synthetic-source"
"""The policy by which surrogates are drawn where none is named: of labels it keeps none."""

_ATTEMPTS = 8
_LEFT = "identifier-left"


@dataclass(frozen=True)
class OpenedCohort:
    """The key and policy of a cohort, open; never serialized."""

    key: CohortKey
    policy: Policy

    @property
    def ids(self) -> Mapping[str, str]:
        """The public names of both."""
        return {"key_id": self.key.key_id, "policy_id": self.policy.policy_id}


def open_cohort(cohort: Cohort, lang: str) -> OpenedCohort:
    """Open what surrogates are drawn under; raises ConfigError or Unavailable."""
    key = open_key(cohort.key, Path(), cohort.custody).cohort(cohort.name)
    return OpenedCohort(key, load_policy(cohort.policy or POLICY, lang))


class LetterWriter:
    """Writes batches of letters with a model, masked letters and the surrogates of a cohort."""

    def __init__(self, refill: FillingJob) -> None:
        self._refill = refill
        masked = load_letters(refill.masked)
        self._letters = masked.letters
        # A private filler draws each word once: passages that are left are dropped by the filter.
        is_broken = masked.passages is not None and refill.epsilon is None
        self._passages = OwnPassages.from_bytes(masked.passages or b"") if is_broken else None
        # Gather the words that stand for each part of speech somewhere, masked or not.
        found: dict[str, set[str]] = {}
        for letter in self._letters:
            text = letter.document.text
            for each in letter.decisions:
                if each.phase is Phase.SPEECH:
                    found.setdefault(each.reason, set()).add(text[each.start : each.end])
        self._classes = found
        self._filler = _filler(refill)
        self._surrogates: CohortSurrogates | None = None
        if refill.cohort is not None:
            opened = open_cohort(refill.cohort, first_language(self._letters))
            self._surrogates = CohortSurrogates(opened.key, opened.policy)
        self._identifiers = _IdentifiersByOwner(self._letters)

    def write(self, unit: int) -> tuple[int, int]:
        """Write a batch; returns the number of letters, and of those that were refused.

        A letter that holds an identifier of its patient, by chance or by a context that now tells
        one, is written again with other surrogates and other words; a private one is refused, for
        words that are drawn until they please tell more than their epsilon. Raises nothing for a
        single letter: one that cannot be written is refused.
        """
        made: dict[int, FilledDocument | str] = dict.fromkeys(self._refill.places(unit), _LEFT)
        for number in range(_ATTEMPTS if self._refill.epsilon is None else 1):
            open_ = [place for place, each in made.items() if each == _LEFT]
            made |= self._attempt(open_, number)
        records = [
            self._refill.refused(place, each)
            if isinstance(each, str)
            else self._refill.record(place, self._letter(place), each)
            for place, each in made.items()
        ]
        self._refill.write_part(unit, records)
        return len(made), sum(isinstance(each, str) for each in made.values())

    def _attempt(self, places: Sequence[int], number: int) -> dict[int, FilledDocument | str]:
        found: dict[int, FilledDocument | str] = {}
        requests: dict[int, FillingRequest] = {}
        for place in places:
            request = attempt("", "surrogates", lambda at=place: self._request(at, number))  # type: ignore[misc]
            if isinstance(request, Failure):
                found[place] = request.reason or request.error
            else:
                requests[place] = request
        filled = self._fill(list(requests.values()))
        for place, each in zip(requests, filled, strict=True):
            found[place] = each if isinstance(each, str) or self._is_clean(place, each) else _LEFT
        return found

    def _fill(self, requests: Sequence[FillingRequest]) -> list[FilledDocument | str]:
        """Fill letters together; one by one where one of them cannot be."""
        filling = self._refill.filling
        together = attempt(
            "",
            "fill",
            lambda: fill(requests, self._filler, filling, self._classes, self._passages),
        )
        if not isinstance(together, Failure):
            return list(together)
        if len(requests) == 1:
            return [together.reason or together.error]
        return [each for request in requests for each in self._fill([request])]

    def _request(self, place: int, number: int) -> FillingRequest:
        _, copy = self._refill.source(place)
        letter = self._letter(place)
        name = f"{copy}/{number}"
        owner = letter.document.person_id or ""
        own = self._identifiers[owner]
        surrogates: Mapping[MaskingDecision, str] = {}
        if self._surrogates is not None:
            surrogates = self._surrogates.of(letter, f"{name}/{owner}", own.record)
        # A private filler must be able to write every word: which are barred would tell of names.
        barred = own.is_name if self._refill.epsilon is None else None
        return FillingRequest(letter, surrogates, name, barred)

    def _is_clean(self, place: int, made: FilledDocument) -> bool:
        letter = self._letter(place).document
        document = replace(letter, text=made.text)
        own = self._identifiers[letter.person_id or ""]
        is_clear = all(self._may_stay(span, made.text) for span in own.find(document))
        return is_clear and not own.nearly(Annotated(document, made.spans))

    def _may_stay(self, span: Span, text: str) -> bool:
        surrogates = self._surrogates
        return surrogates is not None and surrogates.keeps(span.label, text[span.start : span.end])

    def _letter(self, place: int) -> MaskedDocument:
        return self._letters[self._refill.source(place)[0]]


class _IdentifiersByOwner(dict[str, OwnIdentifiers]):
    """The identifiers of each patient, compiled when first asked for."""

    def __init__(self, letters: Sequence[MaskedDocument]) -> None:
        super().__init__()
        self._letters: dict[str, list[MaskedDocument]] = {}
        for letter in letters:
            self._letters.setdefault(letter.document.person_id or "", []).append(letter)

    def __missing__(self, owner: str) -> OwnIdentifiers:
        own = OwnIdentifiers(
            Annotated(each.document, tuple(each.identifiers)) for each in self._letters[owner]
        )
        self[owner] = own
        return own


def first_language(letters: Sequence[MaskedDocument]) -> str:
    """Return the language of the first letter that policies have names for."""
    langs = (letter.document.lang for letter in letters)
    return next((lang for lang in langs if lang in LANGUAGES), "fr")


def _filler(refill: FillingJob) -> Filler:
    filler = MaskedFiller.load(refill.model)
    if refill.epsilon is None:
        return filler
    return PrivateFiller(filler, ExponentialMechanism.of(refill.epsilon))
