import pytest

from rules.identifiers.identifiers import find_vehicles
from rules.matching.normalized_document import cased_once, fold_once


@pytest.mark.parametrize(
    ("text", "plates"),
    [
        ("véhicule AB 123 CD", ["AB 123 CD"]),
        ("véhicule ab 123 cd", []),
        ("coche 1234 BCD", ["1234 BCD"]),
        ("plaque 12 mm", []),
        ("PLAQUE 4 TROUS", []),
        ("immatriculé en 2019 à Paris", []),
        ("AB-123-CD", ["AB-123-CD"]),
        ("AB–123–CD", ["AB–123–CD"]),
        ("ab-123-cd", []),
        ("HLA-B27", []),
        ("VIN 1HGCM82633A004352", ["1HGCM82633A004352"]),
        ("1HGCM82633A004352", ["1HGCM82633A004352"]),
        ("1HGCM82633A004353", []),
        ("vin abcdefghjklmnprst", []),
        ("11111111111111111", []),
    ],
)
def test_plates_and_vehicle_numbers(text: str, plates: list[str]) -> None:
    spans = find_vehicles(fold_once(text), cased_once(text))
    assert sorted({text[span.start : span.end] for span in spans}) == plates
