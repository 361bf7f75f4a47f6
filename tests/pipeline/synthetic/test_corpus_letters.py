"""What nobody marked in letters of a patient is found, and never renames what somebody did."""

from pipeline.synthetic.corpus_letters import with_own
from pipeline.synthetic.own_identifiers import OwnIdentifiers
from record.document import Annotated, Document
from record.span import Span


def letter(text: str, *marked: tuple[str, str], number: int = 1) -> Annotated:
    spans = (Span(text.index(value), text.index(value) + len(value), of) for value, of in marked)
    return Annotated(Document(f"n{number}", text, "p", lang="es"), tuple(spans))


def told(one: Annotated) -> list[tuple[str, str]]:
    text = one.document.text
    return [(text[span.start : span.end], span.label) for span in sorted(one.spans)]


def test_names_keep_the_label_that_they_were_marked_with() -> None:
    one = letter("Dra. Ana Medrano Gil. Lo firma MEDRANO; vuelve Ana.", ("Ana Medrano Gil", "NAME"))
    found = told(*with_own([one]))
    assert found == [("Ana Medrano Gil", "NAME"), ("MEDRANO", "NAME"), ("Ana", "NAME")]


def test_first_and_last_names_are_told_apart_where_somebody_did() -> None:
    marked = ("Ana", "FIRST_NAME"), ("Medrano", "LAST_NAME")
    one = letter("Dra. Ana Medrano. Lo firma Medrano.", *marked)
    assert told(*with_own([one]))[-1] == ("Medrano", "LAST_NAME")


def test_what_reaches_beyond_what_was_marked_has_its_label() -> None:
    one = letter("Vive en San Pedro del Río.", ("San Pedro del Río", "CITY"))
    other = letter("Es de San Pedro del Río.", ("San Pedro", "REGION"), number=2)
    assert ("San Pedro del Río", "REGION") in told(list(with_own([one, other]))[1])


def test_a_particle_alone_is_nobodys_name() -> None:
    text = "Dra. Marta San Ildefonso y Ana Saint-Gerons. De San Pedro; ildefonso."
    one = letter(text, ("Marta San Ildefonso", "NAME"), ("Ana Saint-Gerons", "NAME"))
    assert ("ildefonso", "NAME") in told(*with_own([one]))
    # Surrogates keep particles; such letters are no copies.
    own = OwnIdentifiers([one])
    made = "Dra. Rosa San Beltrán y Eva Saint-Bazas. De San Pedro."
    surrogate = letter(made, ("Rosa San Beltrán", "NAME"), ("Eva Saint-Bazas", "NAME"))
    assert own.find(surrogate.document) == own.nearly(surrogate) == []
    near = letter("Dra. Rosa Saint-Gerón.", ("Rosa Saint-Gerón", "NAME"))
    assert own.nearly(near)


def test_words_that_are_nearly_names_are_told() -> None:
    own = OwnIdentifiers(
        [letter("Dr. Luis Izquierdo de la Paz.", ("Luis Izquierdo de la Paz", "NAME"))]
    )
    assert all(map(own.is_name, ("izquierdo", "IZQUIERDO", "izquierda", "Luís", "luis")))
    assert not any(map(own.is_name, ("izquierdas", "luisa", "paz", "la", "derecho")))
