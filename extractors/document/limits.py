"""What reading one document may cost, and what a document that was read looks like."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import ConfigDict

from extractors.document.page import BoxClass, Page, Piece
from extractors.document.quality import Quality
from record.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one document; beyond any of them it is refused, never cut.

    `seconds` bounds both the processor time and the time on the wall.
    `memory_mb` is what a document may take beyond the idle reading process and its libraries.
    Raises ConfigError for a bound that is not positive.
    """

    max_bytes: int = 64_000_000
    max_pages: int = 400
    max_characters: int = 1_000_000
    seconds: float = 60.0
    memory_mb: int = 1024

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise ConfigError(f"limits.{name}", "must be positive", "set a number above 0")


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document.

    `text` is in Unicode form NFC with line breaks as `\\n`, free of control and invisible
    characters. `origin` names the extractor (`pdf`, `plain`). `pages` is 1 where there are none;
    `recognized` of them were read from their picture. `classes` counts lines by what they are,
    where that was asked. `pieces` say where the text lies, `sheets` and `kinds` hold the lines of
    each page and their classes, `picture` is a PDF of pictures; all where that was asked.
    """

    __pydantic_config__ = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    text: str = field(repr=False)
    origin: str
    pages: int = 1
    quality: Quality = field(default_factory=Quality)
    recognized: int = 0
    classes: Mapping[str, int] = field(default_factory=dict)
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    sheets: tuple[Page, ...] = field(default=(), repr=False)
    kinds: tuple[tuple[BoxClass, ...], ...] = field(default=(), repr=False)
    picture: bytes = field(default=b"", repr=False)
