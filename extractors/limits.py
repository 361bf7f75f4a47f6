"""What reading one document may cost, and what a document that was read looks like."""

from dataclasses import dataclass, field

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
    characters. `origin` names the extractor (`pdf`, `plain`). `pages` is 1 where there are none.
    """

    text: str = field(repr=False)
    origin: str
    pages: int = 1
