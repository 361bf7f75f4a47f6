"""The limits on extracting one document (`Limits`) and the result (`Extracted`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import ConfigDict

from extractors.document.page import LineClass, LocatedText, Page
from extractors.document.quality import Quality
from record.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one document; a document that exceeds one is refused, never truncated.

    `seconds` limits both CPU and wall time. `memory_mb` comes on top of what the idle sandbox
    process uses. Raises ConfigError for a limit that is not positive.
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
    characters. `origin` is the file type (`pdf`, `plain`). `pages` is 1 for formats without
    pages; `recognized` is the number of pages read by OCR. The rest is filled on request:
    `classes` counts lines by class, `pieces` locate the text on the pages, `page_lines` and
    `line_classes` hold the lines of each page and their classes, `classes_pdf` is a PDF that
    shows them.
    """

    __pydantic_config__ = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    text: str = field(repr=False)
    origin: str
    pages: int = 1
    quality: Quality = field(default_factory=Quality)
    recognized: int = 0
    classes: Mapping[str, int] = field(default_factory=dict)
    pieces: tuple[LocatedText, ...] = field(default=(), repr=False)
    page_lines: tuple[Page, ...] = field(default=(), repr=False)
    line_classes: tuple[tuple[LineClass, ...], ...] = field(default=(), repr=False)
    classes_pdf: bytes = field(default=b"", repr=False)
