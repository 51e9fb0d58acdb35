import os
import signal
import subprocess
import sys
import time
from threading import Thread

from markhood.drafts import draft_beside, is_draft, remove_left_drafts

LEFT = ".markhood-0123456789abcdef.tmp"

WRITER = """
import pathlib, sys, time
from markhood.drafts import draft_beside
with draft_beside(pathlib.Path(sys.argv[1]), folder=sys.argv[2] == "folder") as draft:
    print(draft.name, flush=True)
    time.sleep(60)
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def start_writer(folder, kind):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder / "place"), kind],
        stdout=subprocess.PIPE,
        text=True,
    )
    return writer, writer.stdout.readline().strip()


def test_example_what_a_kill_left_is_removed_and_what_is_being_written_is_not(tmp_path):
    for kind in ("file", "folder"):
        writer, draft = start_writer(tmp_path, kind)
        assert is_draft(draft)
        remove_left_drafts(tmp_path)
        assert names(tmp_path) == [draft]
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert names(tmp_path) == [draft]
        with draft_beside(tmp_path / "place") as mine:
            assert names(tmp_path) == [mine.name]
        assert names(tmp_path) == []


def test_example_what_only_looks_like_a_draft_stays(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / LEFT).symlink_to("victim")
    os.mkfifo(tmp_path / LEFT.replace("0", "a"))
    (tmp_path / ".markhood-notes.tmp").write_text("precious")
    before = names(tmp_path)
    remove_left_drafts(tmp_path)
    assert names(tmp_path) == before
    assert (tmp_path / "victim").read_text() == "precious"


def test_property_many_at_once_lose_nothing(tmp_path):
    until = time.monotonic() + 1

    def write(k):
        place = tmp_path / f"place{k}"
        while time.monotonic() < until:
            with draft_beside(place) as draft:
                draft.write_text("whole")
                draft.replace(place)

    threads = [Thread(target=write, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names(tmp_path) == [f"place{k}" for k in range(8)]
    assert all(path.read_text() == "whole" for path in tmp_path.iterdir())


def test_example_without_locks_as_on_windows_drafts_are_closed_and_none_is_removed(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("markhood.drafts.fcntl", None)
    (tmp_path / LEFT).write_text("of whom nobody knows")
    open_before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for is_folder in (False, True):
        with draft_beside(tmp_path / "place", folder=is_folder) as draft:
            assert draft.is_dir() == is_folder
            if open_before:
                assert len(os.listdir("/proc/self/fd")) == open_before
        assert names(tmp_path) == [LEFT]
