import os
import resource
import stat
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from markhood.errors import InputError
from markhood.output.file_writing import (
    check_distinct,
    check_writable_file,
    replace_all,
    together,
)
from messages import refuses


def test_example_an_output_is_no_input_however_it_is_spelt(tmp_path, monkeypatch):
    data = tmp_path / "data.csv"
    data.write_text("a,b\n")
    (tmp_path / "link.csv").symlink_to("data.csv")
    os.link(data, tmp_path / "hard.csv")
    (tmp_path / "folder").symlink_to(".")
    monkeypatch.chdir(tmp_path)
    for other in (data, tmp_path / "link.csv", tmp_path / "hard.csv", tmp_path / "folder/data.csv"):
        with refuses("file-exists", str(other)):
            check_distinct([other], [data])
        with refuses("file-exists", "data.csv"):
            check_distinct([data.relative_to(tmp_path)], [other])
    check_distinct([tmp_path / "new.csv"], [data])


def test_example_no_file_is_written_twice(tmp_path):
    (tmp_path / "folder").symlink_to(".")
    (tmp_path / "link.csv").symlink_to("later.csv")
    for other in ("later.csv", "folder/later.csv", "link.csv"):
        with refuses("file-exists", str(tmp_path / other)):
            check_distinct([tmp_path / "later.csv", tmp_path / other])
    check_distinct([tmp_path / "later.csv", tmp_path / "other.csv"])


def test_example_links_are_followed_and_modes_kept(tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("old")
    target.chmod(0o600)
    (tmp_path / "link.csv").symlink_to("target.csv")
    replace_all({tmp_path / "link.csv": b"new"})
    assert (tmp_path / "link.csv").is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_example_a_device_is_written_to_and_stays_one(tmp_path):
    for device in ("null", "full"):
        link = tmp_path / f"{device}.csv"
        link.symlink_to(f"/dev/{device}")
        check_writable_file(link)
        before = os.stat(link)
        if device == "null":
            replace_all({link: b"content"})
        else:
            with refuses("file-not-writable", str(link)):
                replace_all({tmp_path / "beside": b"1", link: b"content"})
        after = os.stat(link)
        assert stat.S_ISCHR(after.st_mode)
        assert (before.st_ino, before.st_rdev) == (after.st_ino, after.st_rdev)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full.csv", "null.csv"]


def test_property_files_written_together_appear_at_the_end_or_not_at_all(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"before")
    with refuses("file-not-writable", "/dev/full"), together():
        replace_all({one: b"after"})
        replace_all({other: b"after"})
        replace_all({Path("/dev/full"): b"after"})
    assert (one.read_bytes(), [p.name for p in tmp_path.iterdir()]) == (b"before", ["one"])
    with together():
        replace_all({one: b"after"})
        replace_all({other: b"after"})
        assert one.read_bytes() == b"before"
    assert (one.read_bytes(), other.read_bytes()) == (b"after", b"after")
    assert len(list(tmp_path.iterdir())) == 2


def write_when_read(pipe, content):
    """Write to a pipe as soon as its reader has opened it."""
    while True:
        try:
            return replace_all({pipe: content})
        except InputError:
            time.sleep(0.01)


def test_example_a_pipe_is_written_to_where_someone_reads(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    check_writable_file(pipe)
    with refuses("file-not-writable", str(pipe)):
        replace_all({pipe: b"content"})
    content = b"content" * 100_000  # more than a pipe holds
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    written = []
    writer = Thread(target=lambda: written.append(write_when_read(pipe, content)), daemon=True)
    writer.start()
    received, _ = reader.communicate(timeout=60)
    writer.join(timeout=60)
    assert written == [None]
    assert received == content
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_example_paths_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for path in (
        tmp_path / ("x" * 300 + ".csv"),
        tmp_path / "file" / "below.csv",
        tmp_path / "no" / "below.csv",
        tmp_path / "loop",
        tmp_path,
    ):
        with refuses("file-not-writable", str(path)):
            check_writable_file(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_example_write_protected(tmp_path):
    (tmp_path / "kept.csv").write_text("precious")
    (tmp_path / "kept.csv").chmod(0o444)
    with refuses("file-not-writable", str(tmp_path / "kept.csv")):
        check_writable_file(tmp_path / "kept.csv")


def test_example_the_largest_size_of_files_is_called_that(tmp_path):
    code = (
        "import pathlib\nfrom markhood.output.file_writing import replace_all\n"
        f"replace_all({{pathlib.Path({str(tmp_path / 'a.csv')!r}): b'x' * 100000}})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert "ulimit -f" in done.stderr
    assert list(tmp_path.iterdir()) == []
