"""What synthetic notes give away about the notes they came from: copies, and whose they were."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from evaluation.attacks.copying import (
    MembershipAttack,
    Nearness,
    RealNotes,
    attack_membership,
    measure_nearness,
    split_words,
)
from evaluation.attacks.passages import (
    PassageNotes,
    measure_passages,
    normalize,
    shared_passages,
)
from evaluation.attacks.proximity import NearestPair, WordCorpus, nearest_by_bm25, review
from evaluation.attacks.request_linkage import (
    RequestCandidates,
    attack_requests,
    visible_features,
)
from evaluation.gate import Axis, Measured
from evaluation.gate_charts import GateChart, draw_histogram, draw_roc, draw_shares
from evaluation.utility.agreement import COPY, MADE, REAL, SOUND_SHA256, UNRELATED
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated
from pipeline.synthetic.measurements.files import OWNER_ONLY, read_manifest
from pipeline.synthetic.measurements.tag_agreement import AGREEMENT_COUNTS
from record.atomic_write import OWNER_FILE, write_atomically
from record.document import Annotated
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.generation_files import NOTES, manifest_digest
from synthesis.note_requests import kind_slug
from synthesis.prepared_corpus import Corpus, load_corpus

SCREEN, REVIEW, SOUND_NOTES = "screen.json", "review.jsonl", "sound.jsonl"
"""The files of a screening: its measurements, pairs of notes for people to read, and single notes,
synthetic ones among real ones, to be read for their soundness."""

REVIEW_SHA256 = "review_sha256"
"""The detail of `copied-passages` that names the pairs to read."""

_KNOWN = 3  # pairs of each kind whose answer is known
_SOUND = 20  # notes of each kind to read for their soundness
_SHOWN = 5  # words in a row that are marked where both notes have them


@dataclass(frozen=True)
class Screening:
    """The measurements of screened notes, by digest, and pairs of notes to review.

    `manifest` is the digest of the notes' manifest (see `manifest_digest`).
    `pairs` and `review`, their file, hold the text of synthetic and real notes.
    """

    data: str
    corpus: str
    manifest: str
    measured: Sequence[Measured]
    charts: Sequence[GateChart] = field(repr=False)
    pairs: Sequence[Mapping[str, Any]] = field(repr=False)
    review: bytes = field(repr=False)
    sound: bytes = field(default=b"", repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads: numbers, without any text."""
        return {
            "format": 1,
            "data": self.data,
            "corpus": self.corpus,
            "manifest": self.manifest,
            "measured": [each.to_json() for each in self.measured],
            "charts": [each.to_json() for each in self.charts],
        }

    def save_review(self, folder: Path) -> None:
        """Write the pairs, and the notes to read for soundness, readable by their owner only."""
        folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        for name, content in ((REVIEW, self.review), (SOUND_NOTES, self.sound)):
            write_atomically(folder / name, content, mode=OWNER_FILE)


def screen_notes(synthetic: Path, corpus: Path, progress: Progress, *, seed: int) -> Screening:
    """Compare synthetic notes with those their model learnt from and with other patients' notes.

    `seed` decides the samples of the membership attack. Raises ConfigError where the notes came
    from another corpus, where either is too small to compare, or where a line cannot be read.
    """
    manifest = read_manifest(synthetic, corpus)
    made = _read_made(synthetic / NOTES)
    texts = [note.document.text for note in made]
    progress.phase("reading")
    prepared = load_corpus(corpus)
    parts = [[note.annotated for note in prepared.notes[split]] for split in SPLITS]
    learnt, *others = ([note.document.text for note in part] for part in parts)
    if not texts:
        raise ConfigError(str(synthetic), "holds no notes", "generate some")
    try:
        real = RealNotes(
            split_words(learnt),
            [note.owner for note in prepared.notes[SPLITS[0]]],
            split_words(text for part in others for text in part),
            [note.owner for split in SPLITS[1:] for note in prepared.notes[split]],
        )
    except ValueError as error:
        raise ConfigError(str(corpus), str(error), "prepare a corpus of more patients") from None
    words, data = split_words(texts), hash_file(synthetic / NOTES)
    progress.phase("comparing")
    near = measure_nearness(words, real, WordCorpus(real.trained), data)
    chosen = review(near.found, nearest_by_bm25(words, real.trained), texts, learnt)
    owners = [note.patient for split in SPLITS for note in prepared.notes[split]]
    whose = PassageNotes([note for part in parts for note in part], owners)
    copied = measure_passages(made, whose, len(learnt), data, seed=seed)
    progress.phase("attacking")
    pairs = _pair_records(chosen, texts, learnt, Random(f"{seed}/review"))  # noqa: S311
    about = {"data": data, "manifest": manifest_digest(manifest)}
    lines = "".join(json.dumps(pair | about, ensure_ascii=False) + "\n" for pair in pairs)
    content = lines.encode("utf-8")
    unseen = [note for part in parts[1:] for note in part]
    notes = _sound_records(texts, unseen, Random(f"{seed}/sound"))  # noqa: S311
    sound = "".join(json.dumps(note | about, ensure_ascii=False) + "\n" for note in notes).encode()
    detail = {
        **copied.detail,
        REVIEW_SHA256: hashlib.sha256(content).hexdigest(),
        SOUND_SHA256: hashlib.sha256(sound).hexdigest(),
    }
    attack = attack_membership(words, real, data, seed=seed)
    seen = [visible_features(note, kind_slug(note.document.kind)) for note in made]
    measured = [
        *near.measured,
        replace(copied, detail=detail),
        attack.measured,
        attack_requests(seen, _read_candidates(prepared), data, seed=seed),
        *measured_by_generation(manifest, data),
    ]
    corpus_sha256 = manifest["corpus_sha256"]
    charts = _draw_charts(near, attack, made, unseen)
    return Screening(
        data, corpus_sha256, about["manifest"], measured, charts, pairs, content, sound
    )


def _read_candidates(corpus: Corpus) -> RequestCandidates:
    """Return what is seen of the notes that are asked like, those held out, and of all others."""
    learnt, *others = (corpus.notes[split] for split in SPLITS)
    held_out = [note for part in others for note in part]
    (known, whose), (apart, strangers) = (
        (
            [visible_features(note.annotated, note.kind or "") for note in part],
            [note.owner for note in part],
        )
        for part in (held_out, learnt)
    )
    return RequestCandidates(known, whose, apart, strangers)


def _sound_records(
    made: Sequence[str], unseen: Sequence[Annotated], chance: Random
) -> list[dict[str, Any]]:
    """Return notes to read for their soundness: as many synthetic as real ones, mixed."""
    real = [note.document.text for note in unseen]
    count = min(_SOUND, len(made), len(real))
    notes = [
        {"text": text, "known": kind}
        for kind, some in ((MADE, made), (REAL, real))
        for text in chance.sample(list(some), count)
    ]
    chance.shuffle(notes)
    return [{"note": number, **each} for number, each in enumerate(notes)]


def _draw_charts(
    near: Nearness, attack: MembershipAttack, made: Sequence[Annotated], unseen: Sequence[Annotated]
) -> list[GateChart]:
    """Draw what the means hide: counts and shares, without any text."""
    compared, told = {"synthetic": made, "other patients": unseen}, attack.measured
    return [
        *(
            draw_histogram(
                f"Nearest training note by ROUGE-{size}",
                dict(zip((*compared, "copies"), scores, strict=True)),
                top=1.0,
            )
            for size, scores in near.scores.items()
        ),
        draw_roc(
            f"Membership attack: AUC {told.value:.3f} ({told.low:.3f} to {told.high:.3f})",
            {"synthetic": (attack.members, attack.others)},
        ),
        draw_histogram(
            "Words of a note",
            {
                name: [float(len(note.document.text.split())) for note in some]
                for name, some in compared.items()
            },
        ),
        draw_shares(
            "Labels",
            {
                name: Counter(span.label for note in some for span in note.spans)
                for name, some in compared.items()
            },
        ),
    ]


def _read_made(path: Path) -> list[Annotated]:
    """Read all notes with a text; a line that was skipped would leave without being compared."""
    warnings: list[str] = []
    made = [note for note in read_annotated(path, warnings) if note.document.text]
    if warnings:
        problem = "; ".join(each.removeprefix(f"{path}: ") for each in warnings)
        raise ConfigError(str(path), problem, "generate the notes again")
    return made


def _pair_records(
    pairs: Sequence[NearestPair], synthetic: Sequence[str], real: Sequence[str], chance: Random
) -> list[dict[str, Any]]:
    """Return the pairs to read among others whose answer is known: copies, and pairs of chance.

    The first of these are for practice; the others tell whether readers see copies.
    """

    def known(kind: str) -> dict[str, Any]:
        note = chance.choice(real)
        made = note if kind == COPY else chance.choice(synthetic)
        return _pair_record(made, note) | {"found_by": "", "score": 0.0, "known": kind}

    asked = [
        _pair_record(synthetic[pair.synthetic], real[pair.real])
        | {"found_by": pair.found_by, "score": round(pair.score, 6), "known": ""}
        for pair in pairs
    ]
    practice = [known(kind) for kind in (COPY, UNRELATED)]
    controls = [known(kind) for kind in (COPY, UNRELATED) for _ in range(_KNOWN)]
    return [{"pair": number, **each} for number, each in enumerate([*practice, *asked, *controls])]


def _pair_record(synthetic: str, real: str) -> dict[str, Any]:
    """Return two texts, and which passages they share, by character."""
    one, other = normalize(synthetic), normalize(real)
    first, second = shared_passages(one, other, length=_SHOWN)
    return {
        "synthetic": one,
        "real": other,
        "passages": {"synthetic": first, "real": second},
    }


def measured_by_generation(manifest: Mapping[str, Any], data: str) -> list[Measured]:
    """Return what generation itself measured: tags well formed, and as they were requested."""
    formed, distance = manifest["well_formed"], manifest["tags"]["distance"]
    return [
        Measured("well-formed-share", Axis.DETECTION, formed, formed, formed, data),
        Measured("tag-distance", Axis.RESEMBLANCE, distance, distance, distance, data),
        *_measured_by_filter(manifest.get("filtered"), data),
    ]


def _measured_by_filter(filtered: Mapping[str, Any] | None, data: str) -> Iterator[Measured]:
    if filtered is not None:
        share = filtered["share"]
        yield Measured("dropped-share", Axis.RESEMBLANCE, share, share, share, data)
    if agreed := (filtered or {}).get(AGREEMENT_COUNTS):
        share = agreed["share"]
        detail = {"agreement": round(agreed["mean"], 4), "least": agreed["least"]} | {
            f"agreement of {name}": round(each["f1"], 4) for name, each in agreed["labels"].items()
        }
        yield Measured(
            "disagreement-share", Axis.DETECTION, share, share, share, data, detail=detail
        )
