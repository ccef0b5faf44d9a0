"""A small book as the text of a rankbook.toml, and writing it into a directory."""

TOML = """
[book]
name = "book"

[[board]]
name = "speed"
measures = { score = "score" }
order_by = ["score desc"]
windows = ["all-time", "daily"]
details = ["note"]
"""


def write_book(directory, text=TOML):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "rankbook.toml").write_text(text, encoding="utf-8")
    return directory
