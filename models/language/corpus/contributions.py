"""What each patient contributes to private training: so many notes of so many ids, no more."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from models.language.corpus.batching import Text

Contribution = Sequence[Text]
"""The notes of one patient, all that private training reads of that person."""


def group_by_patient(
    texts: Sequence[Text], *, notes: int, context: int, seed: int
) -> list[Contribution]:
    """Return the contribution of each patient: at most `notes` texts, each cut at `context` ids.

    Which texts are taken is decided by a hash of the seed and the text, so that it depends on
    nobody else's notes. Texts without an owner are left out: nobody knows how many one person has.
    """
    by_owner: defaultdict[str, list[Text]] = defaultdict(list)
    for text in texts:
        if text.owner:
            by_owner[text.owner].append(text)
    return [
        [
            Text(text.ids[:context], text.asked, owner)
            for text in sorted(by_owner[owner], key=lambda text: _rank(text, seed))[:notes]
        ]
        for owner in sorted(by_owner)
    ]


def _rank(text: Text, seed: int) -> bytes:
    content = f"{seed}/{text.asked}:{','.join(map(str, text.ids))}"
    return hashlib.blake2b(content.encode(), digest_size=16).digest()
