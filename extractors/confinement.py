"""Confines a process by the kernel: which files it may read, and no network, programs or processes.

Landlock (Linux 5.13, docs.kernel.org/userspace-api/landlock.html) and a seccomp filter (Linux 3.17,
docs.kernel.org/userspace-api/seccomp_filter.html) need no privileges. The numbers are those of the
kernel's interface, which never change. What a kernel does not offer is left out.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_ROOMS = ("extractors", "record")
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts",
    "/sys/devices/system/cpu", "/dev/urandom",
)  # fmt: skip

_SET_NO_NEW_PRIVILEGES = 38
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the kernel enforces: the version of Landlock (0: none), and whether seccomp filters."""

    landlock: int = 0
    seccomp: bool = False


def confine(readable: Iterable[Path] = ()) -> Confinement:
    """Confine this process for good: it reads the interpreter, our rooms and `readable`.

    It can neither write to files (but for the null device), nor use any network, nor start a
    process or program. Later threads are confined too. Returns what the kernel offers of it.
    """
    _LIBC.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return Confinement(_restrict_files((*_list_system_places(), *readable)), _filter_calls())


def _list_system_places() -> Iterator[Path]:
    home = Path(__file__).resolve().parent.parent
    yield from (home / room for room in _ROOMS)
    yield from map(Path, (*_SYSTEM, sys.prefix, sys.base_prefix))
    # The folder of our rooms may hold anything else, where it is a checkout.
    yield from (place for place in map(Path, sys.path) if place.resolve() != home)


# Landlock

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
_ALL_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Version of Landlock -> number of rights to files that it knows (bits from 0 on)."""

_TRUNCATE_SINCE = 3
_NETWORK_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11


def _restrict_files(readable: Iterable[Path]) -> int:
    version = int(_LIBC.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG))
    if version < 1:
        return 0
    bits = max(n for since, n in _ALL_FILE_RIGHTS.items() if since <= version)
    attributes = struct.pack("=Q", (1 << bits) - 1)
    if version >= _NETWORK_SINCE:
        attributes += struct.pack("=Q", _TCP)
    if version >= _SCOPES_SINCE:
        attributes += struct.pack("=Q", _SCOPES)
    rules = int(_LIBC.syscall(_CREATE_RULESET, attributes, len(attributes), 0))
    if rules < 0:
        return 0
    try:
        for place in readable:
            _allow(rules, place, _READ_FILE | _READ_DIR if place.is_dir() else _READ_FILE)
        # Tesseract opens it for what it would say, and crashes where that is refused.
        truncate = _TRUNCATE if version >= _TRUNCATE_SINCE else 0
        _allow(rules, Path(os.devnull), _READ_FILE | _WRITE_FILE | truncate)
        return 0 if _LIBC.syscall(_RESTRICT_SELF, rules, 0) else version
    finally:
        os.close(rules)


def _allow(rules: int, place: Path, rights: int) -> None:
    # A place that does not exist needs no permission.
    with suppress(OSError):
        handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = struct.pack("=Qi", rights, handle)
            _LIBC.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
        finally:
            os.close(handle)


# seccomp

_FILTER_MODE, _ALL_THREADS = 1, 1
_THREAD = 0x00010000
"""CLONE_THREAD: a new thread, not a new process."""

_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NOT_PERMITTED, _NOT_THERE = 1, 38
_OTHER_INTERFACE = 0x40000000
"""Numbers from here on are those of the x32 interface on x86-64."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """Numbers of system calls: `denied` ones, and those that start threads and processes."""

    architecture: int
    seccomp: int
    clone: int
    clone3: int
    denied: tuple[int, ...]


# Sockets, programs, processes, other processes' memory, mounts, namespaces, keys, kernel modules,
# io_uring (whose operations no filter sees), handles that pass by paths.
_SINCE_ALIKE = (424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 448)
_MACHINES = {
    "x86_64": _Machine(
        0xC000003E, 317, 56, 435,
        (41, 42, 43, 44, 46, 49, 50, 53, 57, 58, 59, 62, 101, 155, 161, 165, 166, 167, 169, 175,
         176, 200, 246, 248, 249, 250, 272, 288, 298, 303, 304, 307, 308, 310, 311, 313, 320, 321,
         322, 323, *_SINCE_ALIKE),
    ),
    "aarch64": _Machine(
        0xC00000B7, 277, 220, 435,
        (39, 40, 41, 51, 97, 104, 105, 106, 117, 129, 130, 142, 198, 199, 200, 201, 202, 203,
         206, 211, 217, 218, 219, 221, 224, 225, 241, 242, 264, 265, 268, 269, 270, 271, 273, 280,
         281, 282, 294, *_SINCE_ALIKE),
    ),
}  # fmt: skip


def _filter_calls() -> bool:
    machine = _MACHINES.get(platform.machine())
    if machine is None or sys.maxsize < 2**32:
        return False
    code = b"".join(_write_filter(machine))
    held = ctypes.create_string_buffer(code)
    program = struct.pack("@HxxxxxxP", len(code) // 8, ctypes.addressof(held))
    return int(_LIBC.syscall(machine.seccomp, _FILTER_MODE, _ALL_THREADS, program)) == 0


def _write_filter(machine: _Machine) -> Iterator[bytes]:
    denied, allowed = _step(_RETURN, _ERROR | _NOT_PERMITTED), _step(_RETURN, _ALLOW)
    unknown = _step(_RETURN, _ERROR | _NOT_THERE)
    yield _step(_LOAD, _ARCHITECTURE)
    yield _step(_JUMP_IF_EQUAL, machine.architecture, then=1)
    yield denied
    yield _step(_LOAD, _NUMBER)
    yield _step(_JUMP_IF_AT_LEAST, _OTHER_INTERFACE, otherwise=1)
    yield denied
    # Its flags are in memory, where no filter sees them: callers then use clone.
    yield _step(_JUMP_IF_EQUAL, machine.clone3, otherwise=1)
    yield unknown
    for number in machine.denied:
        yield _step(_JUMP_IF_EQUAL, number, otherwise=1)
        yield denied
    yield _step(_JUMP_IF_EQUAL, machine.clone, then=1)
    yield allowed
    yield _step(_LOAD, _FIRST_ARGUMENT)
    yield _step(_JUMP_IF_SET, _THREAD, otherwise=1)
    yield allowed
    yield denied


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)
