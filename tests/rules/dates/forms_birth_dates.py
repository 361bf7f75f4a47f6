"""Dates of birth as notes of five languages write them, marked, beside dates of something else."""

from collections.abc import Iterator
from itertools import product

Line = tuple[str, str]

BIRTHS = {
    "fr": (
        "né le {}",
        "Née le : {}",
        "Né(e) le {}",
        "Date de naissance : {}",
        "DDN {}",
        "DDN: {}",
        "NÉE LE {}",
        "née à Paris le {}",
        "Née Martin le {}",
        "Né le\n{}",
        "D.D.N. : {}",
        "Naissance : {}",
        "date naissance {}",
        "Date de naiss. : {}",
        "enfant né le {}",
        "mise au monde le {}",
    ),
    "en": (
        "DOB: {}",
        "born on {}",
        "Date of birth: {}",
        "D.O.B. {}",
        "born {}",
        "Birth date: {}",
        "Birthdate {}",
        "DOB {}",
        "was born in London on {}",
        "{} (date of birth)",
        "Born: {}",
        "Birthday: {}",
    ),
    "es": (
        "Nacido el {}",
        "Fecha de nacimiento: {}",
        "F. nac.: {}",
        "Nacida el {}",
        "FN: {}",
        "nació el {}",
        "F.N. {}",
        "Fec. Nac. {}",
        "Fecha nac.: {}",
        "nacida en Lima el {}",
        "F nacimiento: {}",
        "FDN: {}",
    ),
    "de": (
        "geb. am {}",
        "geboren am {}",
        "Geburtsdatum: {}",
        "geb. {}",
        "Geb.-Datum: {}",
        "Geb.: {}",
        "Geburtstag: {}",
        "GebDat: {}",
        "Patientin, *{},",
        "Herr Weber (* {})",
        "geb.{}",
        "geboren in Köln am {}",
        "Geb.Dat. {}",
    ),
    "nl": (
        "geboren op {}",
        "geboortedatum: {}",
        "geb. {}",
        "geb.dat. {}",
        "Geboren: {}",
        "geb: {}",
        "Geboortedatum {}",
        "geboren te Utrecht op {}",
        "geb.datum: {}",
        "Geb. op {}",
    ),
}
BIRTHDAYS = {
    "fr": ("12/03/1950", "12.03.50", "12 mars 1950", "1950-03-12", "12031950", "1er mai 1950"),
    "en": ("03/25/1950", "3/12/50", "March 12, 1950", "1950-03-12", "12 Mar 1950", "03121950"),
    "es": ("12/03/1950", "12-03-50", "12 de marzo de 1950", "12.03.1950", "12 mar 1950"),
    "de": ("12.03.1950", "12.3.50", "12. März 1950", "1950-03-12", "12. Dez. 1950", "12.3.1950"),
    "nl": ("12-03-1950", "12/03/50", "12 maart 1950", "1950-03-12", "12 mrt. 1950", "12-3-1950"),
}
BIRTH_LINES = {
    "fr": (
        "née le [[12/03/1950|BIRTH_DATE]], vue le [[12/03/2020|DATE]]. X [[12 mars"
        " 1950|BIRTH_DATE]]",
        "Vue le [[12/03/2020|DATE]], née le [[05/05/1950|BIRTH_DATE]]",
        "née Martin, hospitalisée le [[12/03/2020|DATE]]", "né en [[1937|BIRTH_DATE]]",
        "ne tousse plus depuis le [[12/03/2020|DATE]]",
        "DUPONT Jean | M | [[12/03/1950|BIRTH_DATE]]",
        "né le [[12.3.50|BIRTH_DATE]], soit le [[12/03/1950|BIRTH_DATE]]",
        "[[12/03/1950|BIRTH_DATE]] (date de naissance)", "né le [[03/04/28|BIRTH_DATE]],"
        " revu : [[3 avril 1928|BIRTH_DATE]]",
    ),
    "en": (
        "DOB[[1976-08-09|BIRTH_DATE]], seen",
        "DOB [[03/12/1950|BIRTH_DATE]], seen [[03/12/2020|DATE]]; [[March 12, 1950|BIRTH_DATE]]",
        "Jane Doe | F | [[1950-03-12|BIRTH_DATE]]", "born in [[1937|BIRTH_DATE]], smoker",
        "she turned 73 on [[02/14/2023|BIRTH_DATE]]",
        "her 73rd birthday, [[02/14/2023|BIRTH_DATE]]",
        "DOB: [[3/25/50|BIRTH_DATE]]. (DOB [[March 25, 1950|BIRTH_DATE]])",
    ),
    "es": (
        "nacida el [[12/03/1950|BIRTH_DATE]], alta el [[12/03/2020|DATE]]; [[12 mar"
        " 1950|BIRTH_DATE]]",
        "cumplió 73 años el [[14/02/2023|BIRTH_DATE]]", "cumple 73 años el"
        " [[14/02/2023|BIRTH_DATE]]", "su cumpleaños, el [[14/02/2023|BIRTH_DATE]]",
        "nacido en [[1937|BIRTH_DATE]]", "Nacida en Cuba, ingresa el [[12/03/2020|DATE]]",
    ),
    "de": (
        "geb. [[12.03.1950|BIRTH_DATE]], Aufnahme [[12.03.2020|DATE]]; [[12. März"
        " 1950|BIRTH_DATE]]",
        "geboren [[1937|BIRTH_DATE]]",
        "Frau Meier, geb. Schulz, aufgenommen am [[12.03.2020|DATE]]",
    ),
    "nl": (
        "geb. [[12-03-1950|BIRTH_DATE]], opname [[12-03-2020|DATE]]; [[12 maart 1950|BIRTH_DATE]]",
        "op zijn verjaardag ([[14-02-2023|BIRTH_DATE]])",
        "geboren in [[1937|BIRTH_DATE]]", "mevr. De Vries, geb. Jansen, opgenomen op"
        " [[12-03-2020|DATE]]",
    ),
}  # fmt: skip


def born() -> Iterator[Line]:
    """Yield (language, marked line) of dates of birth."""
    for lang, contexts in BIRTHS.items():
        for words, value in product(contexts, BIRTHDAYS[lang]):
            yield lang, words.format(f"[[{value}|BIRTH_DATE]]")
        for line in BIRTH_LINES[lang]:
            yield lang, line
