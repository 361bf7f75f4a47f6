"""Finding tesseract's language data, without loading tesseract."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

_USUAL_PLACES = ("/usr/share", "/usr/local/share", "/opt/homebrew/share")


def find_tessdata(languages: Iterable[str], folder: str | None = None) -> Path | None:
    """Return the folder that holds the data of all `languages`, or None.

    None if no language is given, tesserocr is not installed, or the data of a language is missing
    (Debian: `tesseract-ocr-fra` and the like). If `folder` is given, no other is searched.
    """
    wanted = [f"{language}.traineddata" for language in languages]
    if not wanted or find_spec("tesserocr") is None:
        return None
    for place in [Path(folder)] if folder else _usual_folders():
        if all((place / name).is_file() for name in wanted):
            return place
    return None


def _usual_folders() -> list[Path]:
    found: list[Path] = []
    for place in map(Path, _USUAL_PLACES):
        found += [*sorted(place.glob("tesseract-ocr/*/tessdata"), reverse=True), place / "tessdata"]
    return found
