"""Every error the rooms raise, sorted by what an operator can do about it.

    CryptonymError
    ├── ConfigError    fix the configuration before starting (exit code 2)
    ├── Unreadable     this document cannot be read: quarantine it
    ├── Unsafe         an invariant of release was violated: quarantine and count
    ├── Refused        a note was not processed, for whoever calls the program as a library
    └── Unavailable    a service or resource did not answer: retry, then stop (exit code 4)

Messages carry keys, labels, counts and offsets, never text of a document.
"""


class CryptonymError(Exception):
    """Base class of the errors that this project raises."""


class ConfigError(CryptonymError):
    """A setting is missing or invalid; holds the key, the problem and the remedy."""

    def __init__(self, key: str, problem: str, remedy: str) -> None:
        super().__init__(key, problem, remedy)
        self.key = key
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.key}: {self.problem}. Remedy: {self.remedy}"


class _Reasoned(CryptonymError):
    """An error whose only detail is a fixed reason code, so that it can never carry text."""

    def __init__(self, reason: str) -> None:
        if not reason or not set(reason) <= _REASON_ALPHABET:
            reason = "unspecified"
        super().__init__(reason)
        self.reason = reason


_REASON_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


class Unreadable(_Reasoned):
    """A document cannot be read; `reason` is a code such as `encrypted` or `no-text-layer`."""


class Unsafe(_Reasoned):
    """A release would be unsafe; `reason` is a code such as `residue` or `no-surrogate`."""


class Refused(CryptonymError):
    """A note was refused: the step, the class of the error and its reason code, without text."""

    def __init__(self, stage: str, error: str, reason: str = "") -> None:
        super().__init__(stage, error, reason)
        self.stage = stage
        self.error = error
        self.reason = reason

    def __str__(self) -> str:
        return f"the note was refused: {self.reason or self.error} (step {self.stage})"


class Unavailable(CryptonymError):
    """A service or resource did not answer; holds its name, the problem and the remedy."""

    def __init__(self, what: str, problem: str, remedy: str) -> None:
        super().__init__(what, problem, remedy)
        self.what = what
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}. Remedy: {self.remedy}"
