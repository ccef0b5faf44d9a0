"""Driving a book: batches, conflicts, files that cannot be read, and running again."""

import io
import os

import pytest

from rankbook import StoreError
from rankbook.importing import Importer, run
from tests.importing.files import GOOD_1, GOOD_2, HEADER, counts, export, places


def rows(count):
    return [f"r{i},,{60 + i % 40},98,time,,{1732664176000 + i}" for i in range(count)]


def test_a_second_run_after_mending_adds_only_what_was_missing(imported, book):
    bad = "a3,,fast,98,time,,1732664178000"
    assert counts(imported(export(GOOD_1, bad, GOOD_2), "monkeytype", "asha")) == (2, 0, 1)
    mended = export(GOOD_1, bad.replace("fast", "120"), GOOD_2)
    assert counts(imported(mended, "monkeytype", "asha")) == (1, 2, 0)
    assert book.ranking("speed").top().entries[0].score == 118


def test_a_known_id_with_other_content_is_a_fault_of_its_line_and_the_rest_is_recorded(
    imported, monkeypatch
):
    monkeypatch.setattr(run, "BATCH", 8)
    lines = rows(30)
    assert counts(imported(export(*lines[::3]), "monkeytype", "asha")) == (10, 0, 0)
    lines[9] = lines[9].replace(",98,", ",97,")
    lines[27] = lines[27].replace(",98,", ",97,")
    summary = imported(export(*lines), "monkeytype", "asha")
    assert counts(summary) == (20, 8, 2)
    reason = "'monkeytype:{}' is already recorded with other content"
    assert places(summary) == [
        (11, "_id", reason.format("r9")),
        (29, "_id", reason.format("r27")),
    ]


def test_of_two_lines_with_one_id_in_a_file_the_first_counts(imported, book):
    summary = imported(export(GOOD_1, GOOD_1, GOOD_1.replace("100.5", "200")), "monkeytype", "asha")
    assert counts(summary) == (1, 1, 1)
    assert book.ranking("speed").top().entries[0].score == 98


def test_faults_come_by_line_and_are_bounded_while_their_number_is_not(imported, monkeypatch):
    monkeypatch.setattr(run, "MOST_LISTED", 3)
    lines = rows(9)
    lines[1:8:2] = [line.replace(",98,", ",x,") for line in lines[1:8:2]]
    summary = imported(export(*lines), "monkeytype", "asha")
    assert counts(summary) == (5, 0, 4)
    assert [line for line, _, _ in places(summary)] == [3, 5, 7]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_size_of_a_batch_changes_nothing(imported, monkeypatch, size):
    monkeypatch.setattr(run, "BATCH", size)
    assert counts(imported(export(*rows(20)), "monkeytype", "asha")) == (20, 0, 0)


def test_several_files_are_one_import_and_each_is_named(book, tmp_path):
    (tmp_path / "one.csv").write_text(export(GOOD_1, "x"))
    (tmp_path / "two.csv").write_text(export("y", GOOD_2))
    importer = Importer(book)
    for name in ("one.csv", "two.csv", "three.csv"):
        importer.file(str(tmp_path / name), "monkeytype", "asha")
    summary = importer.finish()
    assert counts(summary) == (2, 0, 3)
    found = [(os.path.basename(fault.file), fault.line) for fault in summary.faults]
    assert found == [("one.csv", 3), ("two.csv", 2), ("three.csv", 0)]


def test_a_file_that_is_not_there_a_directory_and_an_impossible_name_are_told_apart(book, tmp_path):
    importer = Importer(book)
    for name in ("nowhere", ".", "a\0b"):
        importer.file(f"{tmp_path}/{name}", "csv")
    reasons = [fault.reason for fault in importer.finish().faults]
    assert reasons[:2] == ["there is no such file", "is a directory"]
    assert reasons[2].startswith("cannot be read: ")


def test_a_file_that_fails_on_the_way_is_a_fault_after_its_good_lines(imported, monkeypatch):
    class Failing(io.StringIO):
        def readline(self, size=-1):
            if self.tell() > len(HEADER) + 1:
                raise OSError(5, "Input/output error")
            return super().readline(size)

    def open_failing(path):
        return Opened(Failing(export(GOOD_1, GOOD_2)))

    class Opened:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            return self.stream, None

        def __exit__(self, *error):
            return None

    monkeypatch.setattr(run, "_opened", open_failing)
    summary = imported("", "monkeytype", "asha")
    assert counts(summary) == (1, 0, 1)
    assert places(summary) == [(0, "", "cannot be read: Input/output error")]


def test_a_line_says_file_line_column_and_reason(imported):
    [fault] = imported(export("a3,,100,140,time,,1732664176000"), "monkeytype", "asha").faults
    assert str(fault) == f"{fault.file}:2: acc: is 140, more than 100"


def test_progress_is_told_up_to_the_whole_of_it(book, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "BATCH", 5)
    path = tmp_path / "export.csv"
    path.write_text(export(*rows(12)))
    heard = []
    importer = Importer(book, told=lambda *said: heard.append(said))
    importer.file(str(path), "monkeytype", "asha")
    importer.finish()
    size = path.stat().st_size
    assert {what for what, _, _ in heard} == {"reading", "ranking"}
    assert [said for said in heard if said[0] == "reading"][-1] == ("reading", size, size)
    assert heard[-1] == ("ranking", 12, 12)


def test_what_was_recorded_before_ranking_failed_is_ranked_by_the_next_import(
    imported, book, monkeypatch
):
    def broken(**_keywords):
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(book, "fold", broken)
        with pytest.raises(StoreError):
            imported(export(GOOD_1, GOOD_2), "monkeytype", "asha")
    assert book.pending() == 2
    assert counts(imported(export(GOOD_1, GOOD_2), "monkeytype", "asha")) == (0, 2, 0)
    assert book.pending() == 0
    assert book.ranking("speed").count() == 1
