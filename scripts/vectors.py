"""Write the vectors of surrogates anew, after a new version of the algorithm was decided.

    python scripts/vectors.py

Vectors hold what is promised never to change: run this only with a new version of the algorithm
(docs/surrogates.md), and read what it prints before you commit. Those of version 2 are not written.
"""

import json
from datetime import datetime
from pathlib import Path

from record.document import Document
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

PLACE = Path(__file__).parents[1] / "tests" / "vectors" / "surrogates.json"


def main() -> None:
    """Compute every vector of version 3 by the engine, and print what texts become."""
    whole = json.loads(PLACE.read_text(encoding="utf-8"))
    vectors = whole["version_3"]
    cohort = MasterKey(bytes.fromhex(whole["master"])).cohort(whole["cohort"], algorithm=3)
    columns = Columns(cohort, Policy())
    vectors["cohort_key_id"] = cohort.key_id
    vectors["shift_days"] = {person: columns.days(person) for person in vectors["shift_days"]}
    vectors["ids"] = {number: columns.pseudonym("person", number) for number in vectors["ids"]}
    written = datetime.fromisoformat(whole["written"])
    for each in vectors["surrogates"]:
        text, lang = each["text"], each["lang"]
        document = Document("n1", text, each["person_id"], lang, written)
        span = Span(0, len(text), each["label"])
        release = Rewriter(cohort, Policy(locale=lang)).rewrite(document, (span,), None)
        each["surrogate"] = release.text
        print(f"{each['label']:<14}{lang}  {text}  ->  {release.text}")
    content = json.dumps(whole, ensure_ascii=False, indent=1)
    PLACE.write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
