"""What the documents show is what happens."""

import pytest

from rankbook.rules import load
from tests.docs.markdown import DOCUMENTS, blocks
from tests.docs.session import matches, run, steps

LANGUAGES = {"", "console", "json", "python", "sh", "sql", "text", "toml"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_code_print_what_is_shown_below_them(document, tmp_path):
    made = steps(document, tmp_path)
    if not made:
        return
    for step, printed in zip(made, run(made, tmp_path), strict=True):
        where = f"{document}:{step.line}: {step.command}"
        if step.expected is None:
            assert "Traceback" not in printed, f"{where}\n{printed}"
        else:
            shown = "\n".join(step.expected)
            assert matches(step.expected, printed), f"{where}\nshown:\n{shown}\nis:\n{printed}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_whole_book_in_toml_is_sound(document):
    for block in blocks(document):
        if block.language == "toml" and "[book]" in block.text:
            assert load(block.text).boards


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_is_run_or_is_no_command_of_ours(document):
    for block in blocks(document):
        where = f"{document}:{block.line}"
        assert block.language in LANGUAGES, f"{where}: {block.language!r} is not known"
        if block.language in ("sh", ""):
            assert not any(line.startswith("rankbook ") for line in block.text.splitlines()), where
