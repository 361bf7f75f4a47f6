"""Pseudonymization of single notes: whole, or not at all."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from cryptonym.notes import (
    LOCK,
    NoteDate,
    Patient,
    check_language,
    dated,
    read_note,
    read_patient,
    unless_refused,
)
from pipeline.files.jsonl import spans_to_json
from pipeline.files.note_files import IdentifierFinder
from pipeline.files.pseudonymization import (
    PseudonymizationOptions,
    load_policy,
    make_context,
    open_cohort,
    pseudonymize_line,
)
from record.release import Release
from record.span import Span

_DEFAULT_LANG = "fr"


class Pseudonymizer:
    """Replaces identifiers by the surrogates of a cohort.

    `key` is where the master key is (`file:PATH`, `env:NAME` ...), never a key itself. `policy` is
    the name of a shipped one or a file, `lang` the language of the patients' own names, and of
    notes whose language neither they nor their text tell; without it French, with a UserWarning
    where notes of a patient are in another one. Notes go through the same steps as in `cryptonym
    pseudonymize --spans given`, with the same output. Raises ConfigError or Unavailable. Close it,
    or use it as a context; it holds keys and cannot be pickled. May be called from several threads,
    which take turns.
    """

    def __init__(
        self,
        key: str,
        cohort: str,
        *,
        policy: str | None = None,
        lang: str = "",
        custody: str | Path | None = None,
        algorithm: int | None = None,
        keep_keys: Iterable[str] = (),
    ) -> None:
        options = PseudonymizationOptions(
            key=key,
            cohort=cohort,
            policy=policy,
            custody=Path(custody) if custody else None,
            given=True,
            keep_keys=frozenset(keep_keys),
            allow_unknown=True,
            algorithm=algorithm,
        )
        check_language(lang)
        self._is_lang_given = bool(lang)
        self._told: set[str] = set()
        lang = lang or _DEFAULT_LANG
        built = load_policy(policy, lang)
        finder = IdentifierFinder({}, lang=lang)
        self._context = make_context(
            finder, options, open_cohort(options, built), built, is_known_required=False
        )

    def apply(
        self,
        text: str,
        spans: Iterable[Span],
        patient: Patient | None = None,
        *,
        note_id: str = "note",
        lang: str = "",
        note_datetime: NoteDate = None,
    ) -> Release:
        """Return a text with every span replaced, and where the surrogates are.

        Without a patient the note is a patient of its own, told apart by `note_id`. A date without
        a year is one near `note_datetime`, when the note was written. Raises
        Refused, without text, and returns nothing where a span has no surrogate, or where
        something known of the patient is still there.
        """
        record = {"note_id": note_id, "text": text, "spans": spans_to_json(spans), "lang": lang}
        record |= dated(note_datetime)
        released = self.apply_record(record, patient)
        cohort, policy = self._context.cohort, self._context.rewriter.policy
        placed = tuple(Span(**span) for span in released["spans"])
        return Release(note_id, released["text"], placed, cohort.key_id, policy.policy_id)

    def apply_record(
        self, record: Mapping[str, Any], patient: Patient | None = None
    ) -> dict[str, Any]:
        """Return the object of a note as a line of `cryptonym pseudonymize`; raises Refused."""
        known = read_patient(patient)
        line = read_note(record, known, given=True)
        with LOCK:
            person = str(line.annotated.document.person_id)
            self._context.finder.patients = {person: known} if known else {}
            found = pseudonymize_line(line, self._context, Counter())
            foreign = () if self._is_lang_given else self._context.foreign.keys() - self._told
            self._told |= set(foreign)
        for each in sorted(foreign):
            locale = self._context.rewriter.policy.locale
            warnings.warn(
                f"a patient has one name in all notes, here one in {locale}: a patient has notes "
                f"in {each}; choose another with Pseudonymizer(lang=...)",
                stacklevel=2,
            )
        return unless_refused(found)

    def close(self) -> None:
        """End the process that reads markup."""
        self._context.reader.close()

    def __enter__(self) -> "Pseudonymizer":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a pseudonymizer holds keys and must not be serialized")
