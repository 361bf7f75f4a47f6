"""A tiny language with tags for tests of generators: sentences of few words, as ids."""

from random import Random

from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import END, UNKNOWN, Vocabulary, WordVocabulary

MARKS = (END, UNKNOWN, "<PAR>", "<A_START>", "<A_END>", "<B_START>", "<B_END>", "<ASK>", "<BODY>")
PAIRS = (("<A_START>", "<A_END>"), ("<B_START>", "<B_END>"))
HIDDEN = (UNKNOWN, "<ASK>", "<BODY>")
SENTENCES = (
    "the pain is <B_START>here<B_END> now .",
    "the cough is gone .",
    "she takes one <B_START>pill<B_END> a day .",
    "all is well , no fever .",
)


def note(chance: Random) -> str:
    """A note: a name, then sentences."""
    name = chance.choice(("ana gil", "luis", "rosa"))
    lines = " <PAR> ".join(chance.choices(SENTENCES, k=chance.randint(1, 3)))
    return f"<ASK><BODY>seen <A_START>{name}<A_END> <PAR> {lines}"


def notes(count: int, *, seed: int = 1) -> list[str]:
    """So many notes."""
    chance = Random(seed)
    return [note(chance) for _ in range(count)]


def vocabulary() -> WordVocabulary:
    """All words of the language."""
    return WordVocabulary.learn(MARKS, notes(200), rare=1)


def as_texts(found: Vocabulary, marked: list[str]) -> list[Text]:
    """Notes as ids, of which the first two are what was asked for."""
    return [Text([*found.encode(each), found.mark(END)], 2) for each in marked]
