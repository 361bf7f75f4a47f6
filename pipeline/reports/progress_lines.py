"""How far a command is, in lines of text or JSON: at each phase, and at least every 5 seconds."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import NamedTuple

SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_TICKS = 0.5
_SECONDS_BETWEEN_SAMPLES = 1.0
_SECONDS_OF_RATE = 60.0
"""The rate is that of the last minute, so that it follows where notes become longer."""
_MINUTE, _HOUR = 60, 3600


class _Sample(NamedTuple):
    seconds: float
    done: int


class ProgressLines:
    """Writes a line when a phase begins, when all is done, and otherwise every five seconds.

    `write` takes a line; `clock` is monotonic, in seconds. Nothing is written for the time before
    the first phase until five seconds have passed. With `as_json`, a line is an object with
    `event`, `phase`, `seconds` of the phase, `done`, `planned`, `per_second` and `seconds_left`;
    what is unknown is null. Safe to be called from several threads.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        clock: Callable[[], float] = monotonic,
        as_json: bool = False,
    ) -> None:
        self._write, self._clock, self._as_json = write, clock, as_json
        self._lock = Lock()
        self._name = "starting"
        self._began = self._last = self._clock()
        self._done: int | None = None
        self._planned = 0
        self._is_silent = False
        self._estimated = ""
        self._samples: deque[_Sample] = deque()

    def phase(self, name: str) -> None:
        """Begin a phase."""
        with self._lock:
            self._begin(name)
            self._tell()

    def advance(self, done: int, planned: int) -> None:
        """Take what is done and planned, 0 if unknown, in whatever the phase counts."""
        with self._lock:
            now = self._clock()
            is_new = self._done != done
            self._done, self._planned = done, planned
            self._sample(_Sample(now, done))
            if (is_new and self._is_over()) or self._is_due(now):
                self._tell()

    def describe_estimate(self) -> str:
        """Return rate and time left as text; empty where nothing tells them.

        Never waits: whoever draws a display may hold a lock that a line which is written needs.
        """
        if self._lock.acquire(blocking=False):
            try:
                self._estimated = ", ".join(_describe_estimate(*self._estimate(self._clock())))
            finally:
                self._lock.release()
        return self._estimated

    def idle(self) -> None:
        """Say once that nothing is to be done, and no more until the next phase."""
        with self._lock:
            if not self._is_silent:
                self._begin("waiting")
                self._tell()
                self._is_silent = True

    def finish(self) -> None:
        """Begin what comes after the last phase, without a line of its own."""
        with self._lock:
            self._begin("finishing")

    def tick(self) -> None:
        """Write a line if five seconds have passed since the last one."""
        with self._lock:
            if self._is_due(self._clock()):
                self._tell()

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Call `tick` from a thread of its own, also while a step of the command takes long."""
        ended = Event()

        def watch() -> None:
            while not ended.wait(_SECONDS_BETWEEN_TICKS):
                self.tick()

        thread = Thread(target=watch, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _begin(self, name: str) -> None:
        self._name, self._began = name, self._clock()
        self._done, self._planned = None, 0
        self._is_silent = False
        self._samples.clear()

    def _sample(self, newest: _Sample) -> None:
        """Keep what the rate is computed from: the newest count, and older ones a second apart."""
        samples = self._samples
        if not samples and newest.done <= 1:
            # Counted from the beginning of the phase, unless an earlier run did some of it.
            samples.append(_Sample(self._began, 0))
        if len(samples) > 1 and newest.seconds - samples[-2].seconds < _SECONDS_BETWEEN_SAMPLES:
            samples.pop()
        samples.append(newest)
        # What is done in large steps has few counts: two are kept, however old.
        while len(samples) > 2 and newest.seconds - samples[1].seconds > _SECONDS_OF_RATE:
            samples.popleft()

    def _is_over(self) -> bool:
        return self._planned > 0 and self._done == self._planned

    def _is_due(self, now: float) -> bool:
        return not self._is_silent and now - self._last >= SECONDS_BETWEEN_LINES

    def _tell(self) -> None:
        self._last = now = self._clock()
        seconds, (rate, left) = now - self._began, self._estimate(now)
        self._write(
            self._to_json(seconds, rate, left)
            if self._as_json
            else self._to_text(seconds, rate, left)
        )

    def _estimate(self, now: float) -> tuple[float | None, float | None]:
        """Return the rate and the seconds left, None where unknown."""
        rate, left = self._rate(now), None
        if rate and self._planned and self._done is not None:
            left = max(0, self._planned - self._done) / rate
        return rate, left

    def _rate(self, now: float) -> float | None:
        """Return the units per second of the last minute; None where counts do not tell it.

        The time since the last count is part of it once it is longer than counts are apart.
        """
        if len(self._samples) < 2:
            return None
        first, last = self._samples[0], self._samples[-1]
        elapsed, more = last.seconds - first.seconds, last.done - first.done
        if now - last.seconds > elapsed / (len(self._samples) - 1):
            elapsed = now - first.seconds
        return more / elapsed if elapsed > 0 and more > 0 else None

    def _to_text(self, seconds: float, rate: float | None, left: float | None) -> str:
        if self._done is None:
            return f"{self._name} ..." + (f" {format_seconds(seconds)}" if seconds >= 1 else "")
        parts = [f"{self._done} of {self._planned}" if self._planned else f"{self._done}"]
        parts += _describe_estimate(rate, None if self._is_over() else left)
        if self._is_over():
            parts.append(f"in {format_seconds(seconds)}")
        return f"{self._name}: {', '.join(parts)}"

    def _to_json(self, seconds: float, rate: float | None, left: float | None) -> str:
        told = {
            "event": "progress",
            "phase": self._name,
            "seconds": round(seconds, 1),
            "done": self._done,
            "planned": self._planned or None,
            "per_second": None if rate is None else round(rate, 3),
            "seconds_left": None if left is None else round(left, 1),
        }
        return json.dumps(told, ensure_ascii=False)


def _describe_estimate(rate: float | None, left: float | None) -> list[str]:
    parts = []
    if rate is not None:
        parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * _MINUTE:.1f}/min")
    if left is not None:
        parts.append(f"{format_seconds(left)} left")
    return parts


def format_seconds(seconds: float) -> str:
    """Return a time as `42 s`, `3 min 20 s` or `2 h 5 min`."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
