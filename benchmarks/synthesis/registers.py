"""The notes that authors wrote one by one: how many are different, and some to be read.

    python -m benchmarks.synthesis.registers [--print 10] [--filled] [--seed 1]

Counts notes by language and register, near copies as one, with their authors, those that name
nobody, the median of words outside slots, and what is held out. `--print N` prints N notes of each
language drawn at random, as written or, with `--filled`, filled anew. Prints Markdown.
"""

import argparse
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence

from synthesis.markup import encode
from synthesis.register_notes import (
    RegisterFiller,
    RegisterNote,
    find_different,
    read_registers,
    words_outside,
)


def main() -> None:
    options = _parse()
    notes = read_registers()
    different = find_different(notes)
    print(count_table(notes, different))
    if options.print:
        filler = RegisterFiller(notes, seed=options.seed)
        for lang in sorted({note.lang for note in notes}):
            _print_some(
                [note for note in notes if note.lang == lang],
                filler if options.filled else None,
                options,
            )


def count_table(notes: Sequence[RegisterNote], different: Sequence[RegisterNote]) -> str:
    """Count the different notes of each register; sums by language and author below."""
    lines = [
        "| language | register | notes | different | name nobody | authors | words, median |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: |",
    ]
    rows: dict[tuple[str, str], list[RegisterNote]] = defaultdict(list)
    for note in notes:
        rows[note.lang, note.register].append(note)
        rows[note.lang, "all"].append(note)
    kept = Counter((note.lang, note.register) for note in different)
    kept.update((note.lang, "all") for note in different)
    for (lang, register), found in sorted(rows.items()):
        nobody = sum(not note.annotated.spans for note in found)
        authors = " ".join(sorted({note.author for note in found}))
        size = statistics.median(len(words_outside(note.annotated)) for note in found)
        lines.append(
            f"| {lang} | {register} | {len(found)} | {kept[lang, register]} | {nobody} | "
            f"{authors} | {size:.0f} |"
        )
    by_author = Counter(note.author for note in different)
    held_out = sum(note.is_held_out for note in different)
    lines += [
        "",
        "Different notes by author: "
        + ", ".join(f"{author}: {count}" for author, count in sorted(by_author.items()))
        + f"; {len(different)} in all, {held_out} held out.",
    ]
    return "\n".join(lines)


def _print_some(
    notes: Sequence[RegisterNote], filler: RegisterFiller | None, options: argparse.Namespace
) -> None:
    rng = random.Random(options.seed)
    for note in rng.sample(notes, min(options.print, len(notes))):
        shown = filler.fill(note, options.seed) if filler else note.annotated
        print(f"\n## {note.annotated.document.note_id}, author {note.author}\n")
        print(encode(shown).replace("<PAR>", "\n"))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--print", type=int, default=0, help="notes of each language to print")
    parser.add_argument("--filled", action="store_true", help="print them filled anew")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
