"""Linking two cohorts by what the surrogates of names keep of the originals.

    python -m benchmarks.attacks.name_links [--patients 300] [--lang fr] [--seed 1]

Made-up patients with double names, particles, several given names, birth names, a mother, a father
and a doctor, who is a woman: the sex of everybody stays by design, here it is in the forms. The
same forms about them are released under two keys: under version 2, under version 3 with names of
the same stratum, and mixed, its default. The attacker knows the lists and the algorithm, and
trained on released patients of their own what a surrogate under one key tells of the one under
another: class of frequency and origin of each word, length, first letter, number of words, hyphen,
particle, gender. They match all patients at once (likelihood ratios, optimal assignment), by names
alone and together with sex and year of birth, which dates moved by up to a year leave within two.
Prints a Markdown table: patients that are linked rightly, and the exact 95 % interval of the number
without names. The last column adds which names of a form are equal.
"""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, minimize
from scipy.stats import binomtest

from record.document import Document
from record.folding import fold
from record.label import Label
from record.patient import PatientRecord, PersonName
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.patient import name_lists
from surrogates.patient.name_words import PARTICLES
from surrogates.rewrite import Rewriter

TRAINED = 4000
GUESSES = 6
# Of the squared weights, so that what tells nothing counts for nothing.
PENALTY = 10.0
APART = 2
ARMS: tuple[tuple[str, int, Policy], ...] = (
    ("version 2", 2, Policy()),
    ("version 3, same stratum", 3, Policy(names="same-stratum")),
    ("version 3, mixed (default)", 3, Policy(names="mixed")),
)
# The share of the patients whose family and given names are of each class; the rest is foreign.
FAMILY_SHARES, GIVEN_SHARES = (0.25, 0.25, 0.35), (0.6, 0.15, 0.1)
WORD = re.compile(r"[^\W\d_]+")
FAR = -1e6
Floats = NDArray[np.float64]
Form = tuple[str, ...]
Describe = Callable[[Form], Iterator[str]]


@dataclass(frozen=True)
class Patient:
    """A made-up patient: the record, the year of birth, and the doctor."""

    record: PatientRecord
    born: int
    doctor: PersonName

    def names(self) -> list[tuple[str, str]]:
        """Return the text and label of each name in the form about the patient."""
        record, given, family = self.record, Label.FIRST_NAME.value, Label.LAST_NAME.value
        found = [(record.family_names[0], family), (" ".join(record.given_names), given)]
        found.append(((record.birth_names or record.family_names)[0], family))
        for person in (*record.relatives, self.doctor):
            found += [(person.given_names[0], given), (person.family_names[0], family)]
        return found


def main() -> None:
    options = _parse()
    print(link_table(options.patients, options.lang, options.seed))


def link_table(patients: int, lang: str, seed: int, trained: int = TRAINED) -> str:
    """Attack each way of drawing names; return a Markdown table."""
    target = make_patients(patients, lang, f"{seed}/target")
    own = make_patients(trained, lang, f"{seed}/trained")
    chance = np.random.default_rng(seed)
    years = year_scores(target, chance)
    # Many patients are alike but for names: which of them are matched is chance.
    bare = round(np.mean([count_links(years, target, chance) for _ in range(GUESSES)]))
    bounds = binomtest(bare, patients).proportion_ci(0.95, method="exact")
    low, high = round(bounds.low * patients), round(bounds.high * patients)
    lines = [
        f"{patients:,} patients, `{lang}`. By sex and year of birth, without names: {bare}, "
        f"95 % {low} to {high}.\n",
        "| names | by names alone | with sex and year of birth | and equal names |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, algorithm, policy in ARMS:
        forms = [
            [release_forms(people, lang, algorithm, policy, key) for key in ("one", "two")]
            for people in (own, target)
        ]
        scores = [
            score_names(forms[0], forms[1], chance, partial(describe, lang=lang))
            for describe in (describe_names, describe_all)
        ]
        shown = (scores[0], years + scores[0], years + scores[1])
        found = [count_links(each, target, chance) for each in shown]
        lines.append(f"| {name} | {' | '.join(map(str, found))} |")
    return "\n".join(lines) + "\n"


# Patients ----------------------------------------------------------------------------------------


def make_patients(count: int, lang: str, seed: str) -> list[Patient]:
    """Draw patients whose names are as frequent and as structured as in a hospital, roughly."""
    rng = Random(seed)
    return [_make_patient(str(number), lang, rng) for number in range(count)]


def _make_patient(person: str, lang: str, rng: Random) -> Patient:
    gender = rng.choice("FM")
    family = _draw_family(lang, rng)
    birth = () if gender == "M" or rng.random() < 0.5 else (_draw_family(lang, rng),)
    given = tuple(_draw_given(lang, gender, rng) for _ in range(rng.choice((1, 1, 2, 2, 3))))
    relatives = tuple(
        PersonName(
            (_draw_given(lang, sex, rng),),
            (family if rng.random() < 0.6 else _draw_family(lang, rng),),
        )
        for sex in "FM"
    )
    doctor = PersonName((_draw_given(lang, "F", rng),), (_draw_family(lang, rng),))
    record = PatientRecord(person, given, (family,), birth, gender, relatives=relatives)
    return Patient(record, round(rng.triangular(1925, 2020, 1955)), doctor)


def _draw_family(lang: str, rng: Random) -> str:
    names = name_lists.family(lang)
    word = _draw(names, "family", FAMILY_SHARES, rng)
    drawn = rng.random()
    double = 0.9 if lang == "es" else 0.06
    if drawn < double:
        joint = " " if lang == "es" or rng.random() < 0.3 else "-"
        return word + joint + _draw(names, "family", FAMILY_SHARES, rng)
    return rng.choice(("de ", "van der ", "de la ")) + word if drawn > 0.97 else word


def _draw_given(lang: str, gender: str, rng: Random) -> str:
    kind = {"F": "given.female", "M": "given.male"}[gender]
    names = name_lists.given(lang)
    word = _draw(names, kind, GIVEN_SHARES, rng)
    return f"{word}-{_draw(names, kind, GIVEN_SHARES, rng)}" if rng.random() < 0.08 else word


def _draw(names: name_lists.NameList, kind: str, shares: tuple[float, ...], rng: Random) -> str:
    own = {n.rpartition("/")[2]: s for n, s in names.strata.items() if n.startswith(f"{kind}.")}
    drawn = rng.random()
    for code, share in zip("123", shares, strict=True):
        if drawn < share:
            return rng.choice(own[code].entries)
        drawn -= share
    foreign = sorted(code for code in own if len(code) > 1)
    return rng.choice(own[rng.choice(foreign)].entries)


def release_forms(
    patients: Sequence[Patient], lang: str, algorithm: int, policy: Policy, key: str
) -> list[Form]:
    """Release the forms about patients under a key; return the surrogates of their names."""
    cohort = MasterKey(bytes(range(32))).cohort(key, algorithm=algorithm)
    rewriter = Rewriter(cohort, Policy(locale=lang, names=policy.names))
    forms = []
    for patient in patients:
        text, spans = "", []
        for value, label in patient.names():
            text += "Vu : "
            spans.append(Span(len(text), len(text) + len(value), label))
            text += f"{value};\n"
        document = Document("n", text, patient.record.person_id, lang)
        release = rewriter.rewrite(document, spans, patient.record)
        forms.append(tuple(release.text[span.start : span.end] for span in release.spans))
    return forms


# The attack --------------------------------------------------------------------------------------


def describe_names(form: Form, lang: str) -> Iterator[str]:
    """Yield what the surrogates of a form show, one by one: always as many values."""
    for place, name in enumerate(form):
        words = [fold(word) for word in WORD.findall(name)]
        telling = [word for word in words if word not in PARTICLES] or words
        role = Label.FIRST_NAME if place in (1, 3, 5, 7) else Label.LAST_NAME
        for word in (telling[0], telling[-1]):
            yield _code(word, role, lang)
        yield str(len(name) // 2)
        yield telling[0][0]
        yield f"{len(telling)}{'-' in name}{' ' in name}{len(words) > len(telling)}"


def describe_all(form: Form, lang: str) -> Iterator[str]:
    """Yield what `describe_names` does, and which names of the form have a word in common."""
    yield from describe_names(form, lang)
    parts = [frozenset(fold(word) for word in WORD.findall(name)) for name in form]
    for place, one in enumerate(parts):
        yield "".join(str(len(one & other)) for other in parts[place + 1 :])


def _code(word: str, role: str, lang: str) -> str:
    names = name_lists.of_role(role, lang)
    place = names.places.get(word)
    return place[0].name if place else f"none/{names.genders.get(word, '')}"


def score_names(
    trained: Sequence[Sequence[Form]],
    target: Sequence[Sequence[Form]],
    chance: np.random.Generator,
    describe: Describe,
) -> Floats:
    """Return the log-likelihood ratio that two forms are of one patient: [patients, patients]."""
    coded = [[_encode(forms, describe) for forms in pair] for pair in (trained, target)]
    (one, two), (first, second) = coded
    # Weights are fitted on patients that the ratios were not estimated from.
    half = len(one[0]) // 2
    tables = [_ratios(a[:half], b[:half]) for a, b in zip(one, two, strict=True)]
    weights = _weigh(tables, [a[half:] for a in one], [b[half:] for b in two], chance)
    total = np.zeros((len(target[0]), len(target[1])))
    for weight, (table, rows, columns), a, b in zip(weights, tables, first, second, strict=True):
        at = np.array([rows.get(value, 0) for value in a])
        of = np.array([columns.get(value, 0) for value in b])
        total += weight * table[np.ix_(at, of)]
    return total


def _encode(forms: Sequence[Form], describe: Describe) -> list[list[str]]:
    return [list(column) for column in zip(*map(describe, forms), strict=True)]


Ratios = tuple[Floats, dict[str, int], dict[str, int]]


def _ratios(one: Sequence[str], two: Sequence[str]) -> Ratios:
    """Estimate log P(a, b) / (P(a) P(b)) of a value under both keys; index 0 is any other."""
    rows = {value: place + 1 for place, value in enumerate(dict.fromkeys(one))}
    columns = {value: place + 1 for place, value in enumerate(dict.fromkeys(two))}
    joint = np.zeros((len(rows) + 1, len(columns) + 1))
    for a, b in zip(one, two, strict=True):
        joint[rows[a], columns[b]] += 1
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / len(one)
    # Shrunk towards independence, so that rare pairs prove little.
    return np.log((joint + 5 * (apart + 0.01)) / (6 * apart + 0.05)), rows, columns


def _weigh(
    tables: Sequence[Ratios],
    one: Sequence[Sequence[str]],
    two: Sequence[Sequence[str]],
    chance: np.random.Generator,
) -> Floats:
    """Fit how much each ratio counts, by logistic regression on true and on random pairs."""
    size = len(one[0])
    order = np.concatenate([np.arange(size), *(chance.permutation(size) for _ in range(9))])
    pairs = np.empty((len(order), len(tables)))
    for place, (table, rows, columns) in enumerate(tables):
        at = np.array([rows.get(value, 0) for value in one[place]])
        of = np.array([columns.get(value, 0) for value in two[place]])
        pairs[:, place] = table[np.resize(at, len(order)), of[order]]
    truth = np.where(np.arange(len(order)) < size, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = truth * (pairs @ weights[1:] + weights[0])
        slope = -truth / (1 + np.exp(np.clip(margin, -50, 50)))
        value = np.logaddexp(0, -margin).sum() + 0.5 * PENALTY * weights @ weights
        return float(value), np.concatenate([[slope.sum()], slope @ pairs]) + PENALTY * weights

    start = np.zeros(len(tables) + 1)
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x[1:])


def year_scores(patients: Sequence[Patient], chance: np.random.Generator) -> Floats:
    """Return the log-likelihood ratio of the year of birth, moved by each release."""
    born = np.array([patient.born for patient in patients])
    one, two = (born + chance.integers(-1, 2, len(born)) for _ in range(2))
    apart = np.abs(np.subtract.outer(one, two))
    likely = np.log(np.array([3.0, 2.0, 1.0]))[np.minimum(apart, APART)]
    return np.where(apart <= APART, likely, FAR)


def count_links(scores: Floats, patients: Sequence[Patient], chance: np.random.Generator) -> int:
    """Match all patients of each sex at once; return how many are matched with themselves."""
    sexes = np.array([patient.record.gender for patient in patients])
    found = 0
    for sex in "FM":
        own = chance.permutation(np.flatnonzero(sexes == sex))
        mixed = chance.permutation(own)
        block = scores[np.ix_(own, mixed)]
        block = block + chance.uniform(0, 1e-6, block.shape)
        rows, columns = linear_sum_assignment(block, maximize=True)
        found += int(np.sum(own[rows] == mixed[columns]))
    return found


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=300)
    parser.add_argument("--lang", choices=("fr", "en", "es"), default="fr")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
