"""No run of ids twice in one text, but for tags and what stands between them."""

from collections import defaultdict, deque


class Runs:
    """The runs of `size` ids that a text holds outside of entities; a mark ends a run."""

    def __init__(self, size: int, marks: int) -> None:
        self._size, self._marks = size, marks
        self._seen: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
        self._last: deque[int] = deque(maxlen=size - 1)

    def banned(self) -> set[int]:
        """Return the ids that would repeat a run."""
        if len(self._last) < self._size - 1:
            return set()
        return self._seen.get(tuple(self._last), set())

    def add(self, number: int, *, is_inside: bool) -> None:
        """Take the next id; `is_inside` tells that it stands in an entity."""
        if number < self._marks or is_inside:
            self._last.clear()
            return
        if len(self._last) == self._size - 1:
            self._seen[tuple(self._last)].add(number)
        self._last.append(number)

    def copy(self) -> "Runs":
        """Return one that goes on by itself."""
        made = Runs(self._size, self._marks)
        made._last.extend(self._last)
        for run, numbers in self._seen.items():
            made._seen[run] = set(numbers)
        return made
