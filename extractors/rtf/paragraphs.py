"""One run of text of a word document as it is written: paragraphs, and rows of cells."""


class Story:
    """Text that grows; the cells of a row become one line when the row ends."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._cells: list[str] = []
        self._boxes: list[Story] = []
        self._row = 0  # where the text begins that is part of a row, should it turn out to be one

    def write(self, text: str) -> None:
        """Add text."""
        self._out.append(text)

    def add_box(self, box: "Story") -> None:
        """Add a box of text that is anchored here: it follows the paragraph."""
        self._boxes.append(box)

    def end_paragraph(self, *, in_table: bool) -> None:
        """Begin another line, of the same cell or after the table."""
        if in_table:
            self._out.append("\n")
            self._write_boxes()
            return
        self._write_row()
        self._out.append("\n")
        self._write_boxes()
        self._row = len(self._out)

    def end_cell(self) -> None:
        """Make a cell of what was written since the last one."""
        self._write_boxes()
        self._cells.append("".join(self._out[self._row :]).strip("\n"))
        del self._out[self._row :]

    def end_row(self) -> None:
        """Make a line of the cells, or lines of their own where a cell has several."""
        self._write_row()
        self._row = len(self._out)

    def text(self) -> str:
        """Return what was written, with surrogate halves joined."""
        self._write_row()
        self._write_boxes()
        # A lone half becomes U+FFFD.
        return "".join(self._out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _write_row(self) -> None:
        cells, self._cells = self._cells, []
        if not cells:
            return
        rest = self._out[self._row :]
        between = "\n" if any("\n" in cell for cell in cells) else "\t"
        self._out[self._row :] = [between.join(cells).rstrip("\t\n") + "\n", *rest]
        self._row += 1

    def _write_boxes(self) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            text = box.text().strip("\n")
            if text.strip():
                before = "" if not self._out or self._out[-1].endswith("\n") else "\n"
                self._out.append(f"{before}{text}\n")
