"""Files are replaced whole or not at all."""

import os

import pytest

from bertbook import atomic
from bertbook.atomic import replacing, replacing_files


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def fill(folder, **texts):
    for name, text in texts.items():
        (folder / name).write_text(text)


def test_a_file_appears_when_it_is_complete(tmp_path):
    with replacing(tmp_path / "a") as file:
        file.write(b"new")
        assert not (tmp_path / "a").exists()
    assert contents(tmp_path) == {"a": "new"}


def test_an_error_keeps_the_former_file(tmp_path):
    fill(tmp_path, a="old")
    with pytest.raises(RuntimeError), replacing(tmp_path / "a") as file:
        file.write(b"half")
        raise RuntimeError
    assert contents(tmp_path) == {"a": "old"}


def test_an_interrupt_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert contents(tmp_path) == {}


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        with replacing(tmp_path / "nowhere" / "a"):
            pass


def test_several_files_are_replaced_and_others_left_alone(tmp_path):
    fill(tmp_path, a="old", other="other")
    with replacing_files(tmp_path) as draft:
        fill(draft, a="new", b="new")
        assert (tmp_path / "a").read_text() == "old"
    assert contents(tmp_path) == {"a": "new", "b": "new", "other": "other"}


def test_a_folder_is_made(tmp_path):
    with replacing_files(tmp_path / "x" / "y") as draft:
        fill(draft, a="new")
    assert contents(tmp_path / "x" / "y") == {"a": "new"}


def test_an_error_leaves_a_folder_as_it_was(tmp_path):
    fill(tmp_path, a="old")
    with pytest.raises(RuntimeError), replacing_files(tmp_path) as draft:
        fill(draft, a="new", b="new")
        raise RuntimeError
    assert contents(tmp_path) == {"a": "old"}


def test_an_error_leaves_no_new_folder(tmp_path):
    with pytest.raises(RuntimeError), replacing_files(tmp_path / "new"):
        raise RuntimeError
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("n_moves", range(5))
def test_an_error_at_any_move_puts_all_files_back(tmp_path, monkeypatch, n_moves):
    fill(tmp_path, a="old a", c="old c")
    moves = []

    def replace_or_fail(source, target):
        moves.append(target)
        if len(moves) == n_moves + 1:
            raise PermissionError("in use")
        os.rename(source, target)

    monkeypatch.setattr(atomic.os, "replace", replace_or_fail)
    with pytest.raises(PermissionError, match="in use"):
        with replacing_files(tmp_path) as draft:
            fill(draft, a="new a", b="new b", c="new c")
    assert contents(tmp_path) == {"a": "old a", "c": "old c"}


def test_a_file_that_cannot_be_put_back_is_not_thrown_away(tmp_path, monkeypatch):
    fill(tmp_path, a="old")
    moves = []

    def fail_from_the_second(source, target):
        moves.append(target)
        if len(moves) > 1:
            raise PermissionError("in use")
        os.rename(source, target)

    monkeypatch.setattr(atomic.os, "replace", fail_from_the_second)
    with pytest.raises(PermissionError), replacing_files(tmp_path) as draft:
        fill(draft, a="new")
    (former,) = tmp_path.glob(".former-*")
    assert contents(former) == {"a": "old"}


def test_a_folder_in_the_place_of_a_file_is_never_replaced(tmp_path):
    (tmp_path / "b").mkdir()
    fill(tmp_path, a="old")
    fill(tmp_path / "b", precious="precious")
    with pytest.raises(IsADirectoryError, match="b is a folder, expected a file"):
        with replacing_files(tmp_path) as draft:
            fill(draft, a="new", b="new")
    assert (tmp_path / "a").read_text() == "old"
    assert contents(tmp_path / "b") == {"precious": "precious"}
