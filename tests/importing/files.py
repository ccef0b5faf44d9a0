"""Small files to import, and what an import said about them."""

from rankbook.importing import Summary

HEADER = "_id,isPb,wpm,acc,mode,tags,timestamp"
GOOD_1 = "a1,,100.5,98,time,,1732664176000"
GOOD_2 = "a2,true,80,100,words,,1732664177000"


def export(*rows: str, header: str = HEADER, end: str = "\n") -> str:
    """An export with these rows, each line with its end."""
    return "".join([line + end for line in (header, *rows)])


def places(summary: Summary) -> list[tuple[int, str, str]]:
    """(line, column, reason) of each fault."""
    return [(fault.line, fault.column, fault.reason) for fault in summary.faults]


def counts(summary: Summary) -> tuple[int, int, int]:
    """(recorded, known, bad)."""
    return summary.recorded, summary.known, summary.bad
