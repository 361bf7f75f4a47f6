"""Which database URLs hold a password, wherever in the URL it stands."""

import re

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

_OPTION = re.compile(r"(pass|pwd|secret|token|credential)[^=;]*=", re.IGNORECASE)
# In what is no URL, or stands in the value of an option: `dsn=postgresql://user:password@host`.
_WRITTEN = re.compile(r"//[^/]*:[^/]*@")


def has_password(text: str) -> bool:
    """Return whether a URL holds a password, or names a file of passwords.

    `env:NAME` and `file:PATH` do not, unless a URL stands there in place of the name.
    """
    text = text.removeprefix("env:").removeprefix("file:")
    try:
        url = make_url(text)
    except ArgumentError:  # a folder, or a URL with a typo
        return bool(_WRITTEN.search(text) or re.search(rf"[?&;]\s*{_OPTION.pattern}", text, re.I))
    except ValueError:
        return True  # a port that is no number is part of a password with an "@"
    # The values may have options of their own: `odbc_connect=...;PWD=...`.
    options = [f"{name}={value}" for name, value in url.query.items()]
    if url.password is not None or any(
        pattern.search(option) for pattern in (_OPTION, _WRITTEN) for option in options
    ):
        return True
    # `//user/password@host`, as Oracle's own clients have it, and passwords with a slash.
    return url.get_backend_name() != "sqlite" and "@" in (url.database or "")
