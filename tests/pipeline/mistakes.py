"""Makes the mistakes that people make first, and writes down what the program prints about each.

PYTHONPATH=. python tests/pipeline/mistakes.py > docs/errors.md

The process has no extras: as in a default installation, their modules cannot be imported.
"""

import contextlib
import io
import os
import re
import shlex
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

EXTRAS = frozenset(
    "torch transformers spacy gensim bm25s opacus openvino nncf peft pyodbc oracledb boto3 botocore"
    " hvac".split()
)
"""Modules that only extras bring."""

HEAD = """\
# Errors

What `cryptonym` prints when something is not as it should be, what the cause is, and what to do.
Each message names the key, option or file first. `tests/pipeline/mistakes.py` makes these mistakes
and writes this page; a test compares the two. Notes in quarantine are another matter: the
[report of a run](operations.md) explains each reason.

| exit code | meaning |
| --- | --- |
| 1 | a quality or release gate said no, or the run failed with an error that is none of these |
| 2 | usage or configuration: correct it and start again |
| 3 | finished, with more notes in quarantine than the limit |
| 4 | a needed service could not be reached: the message says which |

A misspelt command, option, key, column or label is answered with the nearest that exists. No
message holds a password or text of a note. Where a runner of Apache Beam fails, the class of its
error is told with those it came from, and with them the operating system's reason, the missing
module, the exit status or the stage that failed; the rest of a message only where a job server did
not take the job, since no note has been read then.
"""


class WithoutExtras:
    """Finds no module of an extra."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise what an import of a missing module raises."""
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


class Mistake(NamedTuple):
    """A command line, why it fails, and what to do where the message does not say it."""

    line: str
    cause: str
    remedy: str = ""


SECTIONS = {
    "The command line": (
        Mistake("pseudonymise notes.jsonl", "a misspelt command"),
        Mistake("keys create master.key", "an action that has another name"),
        Mistake("prepare corpus", "an action without its group"),
        Mistake(
            "detect notes.jsonl -o found.jsonl --patient patients.jsonl", "a misspelt option"
        ),
        Mistake("detect notes.jsonl", "an option is missing", "add it"),
        Mistake(
            "detect notes.jsonl -o found.jsonl --lang fra", "a value that is none of those",
            "take one of them",
        ),
        Mistake("run nightly.toml --workers two", "a value of another kind", "correct it"),
    ),
    "Files": (
        Mistake("detect none.jsonl -o found.jsonl --model none", "no such file"),
        Mistake(
            "detect report.txt -o found.jsonl --model none", "a document where notes are expected"
        ),
        Mistake("detect notes.jsonl -o nowhere/found.jsonl --model none", "no such folder"),
        Mistake("detect notes.jsonl -o notes.jsonl --model none", "input and output are one file"),
        Mistake(
            "detect notes.jsonl -o found.jsonl --patients twice.jsonl --model none",
            "two lines for one patient",
        ),
        Mistake("detect notes.jsonl -o found.jsonl --model tagger", "no such tagger"),
        Mistake("extract reports -o letters.jsonl", "a folder where documents are expected"),
        Mistake(
            "extract report.txt -o letters.jsonl --person-pattern '[0-9]+'",
            "the pattern does not say what in it is the person",
        ),
        Mistake(
            "extract report.txt -o letters.jsonl --person-map map.csv", "a map with other columns"
        ),
        Mistake(
            "pseudonymize nobody.jsonl -o out.jsonl --key own.key --cohort c"
            " --patients patients.jsonl --model none",
            "notes without a person",
        ),
    ),
    "Notes": (
        Mistake("detect empty.jsonl -o found.jsonl --model none", "a file without notes"),
        Mistake("detect broken.jsonl -o found.jsonl --model none", "a line that is not JSON"),
        Mistake(
            "pseudonymize notes.jsonl -o out.jsonl --key own.key --cohort c --spans given",
            "notes that were never detected",
        ),
        Mistake(
            "pseudonymize notes.jsonl -o out.jsonl --key own.key --cohort c"
            " --patients others.jsonl --model none",
            "a person who is not among the patients",
        ),
    ),
    "Keys and policies": (
        Mistake(
            "pseudonymize notes.jsonl -o out.jsonl --key no.key --cohort c --model none",
            "no key was made, or it is elsewhere",
        ),
        Mistake(
            "pseudonymize notes.jsonl -o out.jsonl --key loose.key --cohort c --model none",
            "others can read the key",
        ),
        Mistake("keys new own.key", "there is a key already"),
        Mistake(
            "pseudonymize notes.jsonl -o out.jsonl --key aws:secret --cohort c --model none",
            "the extra of a store is missing",
        ),
        Mistake(
            "pseudonymize notes.jsonl -o out.jsonl --key own.key --cohort c --policy gdpr"
            " --model none",
            "no such policy",
        ),
        Mistake("policy check policy.toml", "a misspelt label"),
    ),
    "The configuration": (
        Mistake("run none.toml", "no such file"),
        Mistake("run reports", "a folder instead of a file"),
        Mistake("run quotes.toml", "a text without quotes"),
        Mistake("run table.toml", "a misspelt table"),
        Mistake("run key.toml", "a misspelt key"),
        Mistake("run place.toml", "a key in another table than its own"),
        Mistake("run missing.toml", "a key is missing"),
        Mistake("run value.toml", "a value that is none of those"),
        Mistake("run type.toml", "a value of another type"),
        Mistake("run quoted.toml", "true or false in quotes"),
        Mistake("run variable.toml", "an environment variable is not set"),
        Mistake("run schema.toml", "a schema of a database that has none"),
        Mistake("run identity.toml", "no such column in the table of identities"),
        Mistake("run field.toml", "no such field of a patient"),
        Mistake("run other.toml", "no such table of identities"),
    ),
    "Databases": (
        Mistake("run mysql.toml", "a kind of database that is not supported"),
        Mistake("run dialect.toml", "a misspelt kind of database"),
        Mistake("run url.toml", "a path instead of a URL"),
        Mistake("run mssql.toml", "the extra of a database is missing"),
        Mistake("run gone.toml", "no such file of SQLite"),
        Mistake("run port.toml", "no server at this host and port, or a firewall"),
        Mistake("run host.toml", "a misspelt host"),
        Mistake("run password.toml", "a wrong user or password"),
        Mistake("run database.toml", "a misspelt database"),
        Mistake("run admitted.toml", "the server's pg_hba.conf does not admit user or host"),
    ),
    "Cohort releases": (
        Mistake(
            "release nightly.toml --cohort c --persons none.txt --output sqlite:///cohort.db",
            "no such list of persons",
        ),
        Mistake(
            "release nightly.toml --cohort c --persons persons.txt --output cohort.db",
            "a path instead of a URL",
        ),
    ),
    "Extras": (
        Mistake("train --train gold.jsonl --dev gold.jsonl -o tagger", "an extra is missing"),
        Mistake("pretrain notes.jsonl -o encoder", "an extra is missing"),
        Mistake("extract train pages.jsonl -o boxes.npz", "an extra is missing"),
        Mistake("synthesize train corpus -o generator", "an extra is missing"),
        Mistake("synthesize generate generator corpus -o made --notes 1", "an extra is missing"),
        Mistake("synthesize fill filler letters -o made", "an extra is missing"),
        Mistake("synthesize attack generator corpus -o measured", "an extra is missing"),
        Mistake("synthesize utility made corpus -o measured", "an extra is missing"),
        Mistake("synthesize battery made corpus -o measured", "an extra is missing"),
        Mistake("share train site --dev site -o tagger", "an extra is missing"),
        Mistake("quantize default notes.jsonl -o small", "two extras are missing"),
        Mistake(
            "detect notes.jsonl -o found.jsonl --runtime openvino",
            "the extra of a runtime is missing",
        ),
    ),
    "Runners": (
        Mistake("run nightly.toml --worker 2", "a misspelt option"),
        Mistake("run nightly.toml --runner DirectRunner", "a runner that is not safe"),
        Mistake("run nightly.toml --runner FlinkRuner", "a misspelt runner"),
        Mistake(
            "run nightly.toml --runner PortableRunner --job_endpoint localhost:1"
            " --job_server_timeout 1",
            "no job server there",
        ),
    ),
}  # fmt: skip

_HOSPITAL = """\
create table note (note_id integer primary key, person_id integer, note_text text,
    note_source_value text);
create table person (person_id integer primary key);
create table patient_identity (person_id integer, first_names text, last_name text);
insert into person values (1);
insert into note values (1, 1, 'Vu ce jour.', null);
"""
_SOURCE = '[source]\nurl = "sqlite:///hospital.db"\n'
_REST = '[output]\nurl = "sqlite:///research.db"\n[key]\nlocator = "file:own.key"\n'
_REST += '[model]\nfolder = "none"\n'
_IDENTITY = '[source.identity]\ntable = "{}"\n[source.identity.columns]\n{} = "{}"\n'
_SERVER = "postgresql://me:secret@127.0.0.1:{}/warehouse"


def _source(url: str) -> str:
    return f'[source]\nurl = "{url}"\n'


def _files(ports: dict[str, int]) -> dict[str, str]:
    """The files that the command lines name; `ports` are those of servers that refuse."""
    note = '{"note_id": "1", "person_id": "1", "text": "Vu ce jour."'
    return {
        "notes.jsonl": f"{note}}}\n",
        "gold.jsonl": f'{note}, "spans": [{{"start": 3, "end": 5, "label": "DATE"}}]}}\n',
        "nobody.jsonl": '{"note_id": "1", "text": "Vu ce jour."}\n',
        "patients.jsonl": '{"person_id": "1"}\n',
        "others.jsonl": '{"person_id": "2"}\n',
        "empty.jsonl": "",
        "broken.jsonl": "not json\n",
        "twice.jsonl": '{"person_id": "1"}\n{"person_id": "1"}\n',
        "report.txt": "Vu ce jour.\n",
        "map.csv": "name,person\nreport.txt,1\n",
        "persons.txt": "1\n",
        "policy.toml": '[actions]\nFIRSTNAME = "keep"\n',
        "nightly.toml": _SOURCE + _REST,
        "quotes.toml": "cohort = research\n" + _SOURCE + _REST,
        "table.toml": _SOURCE.replace("source", "sourse") + _REST,
        "key.toml": _SOURCE + 'shema = "cdm"\n' + _REST,
        "place.toml": _SOURCE + '[limits]\nmin_quality = 0.5\n' + _REST,
        "missing.toml": _REST,
        "value.toml": 'lang = "french"\n' + _SOURCE + _REST,
        "type.toml": "cohort = 5\n" + _SOURCE + _REST,
        "quoted.toml": _SOURCE + 'hard_links = "yes"\n' + _REST,
        "variable.toml": _source("env:CRYPTONYM_NOT_SET") + _REST,
        "schema.toml": _SOURCE + 'schema = "cdm"\n' + _REST,
        "identity.toml": _SOURCE
        + _IDENTITY.format("patient_identity", "family_names", "lastname") + _REST,
        "field.toml": _SOURCE
        + _IDENTITY.format("patient_identity", "family_name", "last_name") + _REST,
        "other.toml": _SOURCE + _IDENTITY.format("identities", "family_names", "name") + _REST,
        "mysql.toml": _source("mysql://me:secret@db/warehouse") + _REST,
        "dialect.toml": _source("postgressql://me:secret@db/warehouse") + _REST,
        "url.toml": _source("hospital.db") + _REST,
        "mssql.toml": _source("mssql://me:secret@db/warehouse") + _REST,
        "gone.toml": _source("sqlite:///gone.db") + _REST,
        "port.toml": _source(_SERVER.format(1)) + _REST,
        # A label of more than 63 letters is no host anywhere, and nobody has to be asked.
        "host.toml": _source(f"postgresql://me:secret@{'h' * 64}.example/warehouse") + _REST,
        **{f"{name}.toml": _source(_SERVER.format(port)) + _REST for name, port in ports.items()},
    }  # fmt: skip


REFUSALS = {
    "password": ("28P01", 'password authentication failed for user "me"'),
    "database": ("3D000", 'database "warehouse" does not exist'),
    "admitted": ("28000", 'no pg_hba.conf entry for host "127.0.0.1", user "me"'),
}
"""What a PostgreSQL server answers a client that it does not let in."""


@contextlib.contextmanager
def refusing_servers() -> Iterator[dict[str, int]]:
    """Serve as much of PostgreSQL's protocol as it takes to be refused; gives the ports."""
    with contextlib.ExitStack() as stack:
        ports = {}
        for name, refusal in REFUSALS.items():
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            ports[name] = listening.getsockname()[1]
            threading.Thread(target=_refuse, args=(listening, *refusal), daemon=True).start()
        yield ports


def _refuse(listening: socket.socket, code: str, message: str) -> None:
    fields = b"".join(
        kind + text.encode() + b"\0"
        for kind, text in ((b"S", "FATAL"), (b"C", code), (b"M", message))
    )
    body = fields + b"\0"
    answer = b"E" + (len(body) + 4).to_bytes(4, "big") + body
    with contextlib.suppress(OSError):
        while True:
            client, _ = listening.accept()
            with client:
                # Encryption is offered first, by requests of eight bytes.
                while len(client.recv(1024)) == 8:
                    client.sendall(b"N")
                if code == "28P01":
                    client.sendall(b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big"))
                    client.recv(1024)
                client.sendall(answer)


def prepare(folder: Path, ports: dict[str, int]) -> None:
    """Make the files that the command lines name."""
    from pipeline.cli import main

    for name, text in _files(ports).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "reports").mkdir()
    with contextlib.closing(sqlite3.connect(folder / "hospital.db")) as database, database:
        database.executescript(_HOSPITAL)
    for name in ("own.key", "loose.key"):
        with contextlib.redirect_stdout(io.StringIO()):
            main(["keys", "new", str(folder / name)])
    (folder / "loose.key").chmod(0o644)


def make(line: str) -> tuple[int, str]:
    """Run a command line; returns the exit code and the errors, or else the warnings."""
    from pipeline.cli import main

    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main(shlex.split(line))
        except SystemExit as ended:
            code = int(ended.code or 0)
    lines = [each for each in errors.getvalue().splitlines() if each.startswith("cryptonym")]
    said = [each.partition("error: ")[2] for each in lines if "error: " in each]
    said = said or [each.partition("warning: ")[2] for each in lines]
    told = "; ".join(said).replace(str(Path.cwd()), "/folder")
    # Versions of Python differ in the quotes of choices.
    return code, re.sub(r"\(choose from .*?\)", lambda found: found[0].replace("'", ""), told)


def to_row(mistake: Mistake, code: int, said: str) -> str:
    """Return the row of a mistake."""
    message, _, remedy = said.partition(". Remedy: ")
    if not remedy:
        message, _, remedy = said.partition("; ")
    cells = (
        f"`{mistake.line}`", f"`{message.replace('`', '')}`", mistake.cause,
        (remedy or mistake.remedy).replace("<", "\\<"), str(code),
    )  # fmt: skip
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def render() -> str:
    """Make all mistakes; returns the page about them."""
    lines = [HEAD]
    here = Path.cwd()
    with refusing_servers() as ports, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare(Path(folder), ports)
        for title, mistakes in SECTIONS.items():
            lines += [f"## {title}", ""]
            lines += ["| command | message | cause | remedy | exit code |", "| --- " * 5 + "|"]
            lines += [to_row(each, *make(each.line)) for each in mistakes]
            lines.append("")
        os.chdir(here)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.meta_path.insert(0, WithoutExtras())
    time.sleep = lambda seconds: None  # nobody waits for retries
    sys.stdout.write(render())
