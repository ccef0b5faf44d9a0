"""Importing: files of results become events of a book. Lines that cannot be imported become faults.

A format is a generator from a `Source` of text to rows and faults, and knows no book. `Importer`
records in a book what a format reads. `adopt` records a program's own events.
"""

from rankbook.importing.common import Fault, Row, Source, number, value
from rankbook.importing.formats import FORMATS, Format
from rankbook.importing.ndjson import parse as parse_event
from rankbook.importing.run import Importer, Summary
from rankbook.importing.sql import adopt, import_query

__all__ = [
    "FORMATS",
    "Fault",
    "Format",
    "Importer",
    "Row",
    "Source",
    "Summary",
    "adopt",
    "import_query",
    "number",
    "parse_event",
    "value",
]
