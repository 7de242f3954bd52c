"""What people ship: how each implementation in transformers encodes positions, counted."""

from pathlib import Path

from posenc_lib.files import stored_data

ABSENT = "none of these"


class Census(dict[str, list[str]]):
    """The names of implementations by kind. It prints as a table.

    version is that of transformers, total the number of implementations. Some have several kinds.
    """

    version: str
    total: int

    @property
    def used(self) -> dict[str, int]:
        """How many implementations have each kind, most frequent first, without empty kinds."""
        counts = {kind: len(names) for kind, names in self.items() if names and kind != ABSENT}
        return dict(sorted(counts.items(), key=lambda one: -one[1]))

    @property
    def unused(self) -> list[str]:
        """The kinds no implementation has."""
        return [kind for kind, names in self.items() if not names]

    def __repr__(self) -> str:
        head = f"transformers {self.version}, {self.total} implementations"
        used = self.used.items()
        rows = [f"{many:4}  {100 * many / self.total:4.1f} %  {kind}" for kind, many in used]
        rest = [f"   0         {', '.join(self.unused)}", f"{len(self[ABSENT]):4}         {ABSENT}"]
        return "\n".join([head, *rows, *rest])


def census() -> Census:
    """Return the implementations in transformers by how they encode positions.

    >>> census()["ALiBi"]
    ['bloom', 'falcon', 'mpt']

    Returns: a dict of lists of names, by kind. It prints as a table.
    Source: the modeling files of transformers 5.23.0, one folder per implementation, read by
        tests/encodings/census.py.
    """
    file = Path(__file__).with_name("census.json")
    found = stored_data(file, transformers=str, implementations=int, rotary=list)
    made = Census((kind, names) for kind, names in found.items() if isinstance(names, list))
    made.version, made.total = found["transformers"], found["implementations"]
    return made
