"""Saved analyses, also from someone else."""

import io
import json
import zipfile

import pytest

from markhood.app import saved


@pytest.fixture(scope="module")
def archive(client, survey):
    job = client.do("answer", client.upload("survey.csv", survey), settings={"gamma": "1"})
    status, headers, content = client.send("GET", f"api/jobs/{job['id']}/saved")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="survey.markhood"'
    return job, content


def reopened(client, content):
    status, _, body = client.send("POST", "api/saved?name=survey.markhood", content)
    return status, json.loads(body)


def members(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(content, name="analysis.json", text=None, **changes):
    """Return the archive with another member, or with other entries of its description."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", 8) as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, text or json.dumps(json.loads(old.read(name)) | changes))
    return made.getvalue()


def test_a_saved_analysis_opens_with_its_result(client, archive):
    job, content = archive
    status, opened = reopened(client, content)
    assert status == 200
    assert opened["id"] != job["id"]
    for name in ("question", "method", "settings", "codebook", "title", "result", "warnings"):
        assert opened[name] == job[name]
    assert opened["status"] == "done"
    _, _, before = client.send("GET", f"api/jobs/{job['id']}/files/graph.html")
    _, headers, after = client.send("GET", f"api/jobs/{opened['id']}/files/graph.html")
    assert before == after
    assert headers["content-security-policy"].startswith("sandbox")
    recipes = [client.json("GET", f"api/jobs/{one['id']}/recipe") for one in (job, opened)]
    assert recipes[0] == recipes[1]
    again = client.send("GET", f"api/jobs/{opened['id']}/saved")[2]
    assert members(again) == members(content)


def test_the_data_are_not_saved(archive):
    with zipfile.ZipFile(io.BytesIO(archive[1])) as opened:
        assert "survey.csv" not in opened.namelist()


RESULT = {"headline": "x", "paragraph": "", "sentences": []}
RESULT |= {"reports": [], "tables": [], "figures": [], "others": []}


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2},
        {"question": "remove"},
        {"question": 3},
        {"method": "best"},
        {"settings": []},
        {"settings": {"gamma": "x"}},
        {"result": None},
        {"result": {"headline": "x"}},
        {"result": RESULT | {"sentences": "x"}},
        {"result": RESULT | {"others": [{"file": "../../x.csv", "title": ""}]}},
        {"result": RESULT | {"others": [{"file": "/etc/passwd", "title": ""}]}},
        {"result": RESULT | {"others": [{"file": "absent.csv", "title": ""}]}},
        {"result": RESULT | {"others": [{"file": "analysis.py", "title": ""}]}},
        {"result": RESULT | {"others": [{"file": 3}]}},
        {"result": RESULT | {"others": [3]}},
        {"seconds": "soon"},
        {"warnings": 3},
    ],
)
def test_changed_archives_are_refused(client, archive, changes):
    before = sorted(client.workspace.folder.rglob("*"))
    n_jobs = len(client.workspace.jobs)
    status, answer = reopened(client, changed(archive[1], **changes))
    assert status == 400
    assert answer["error"]
    assert sorted(client.workspace.folder.rglob("*")) == before
    assert len(client.workspace.jobs) == n_jobs


@pytest.mark.parametrize("content", [b"", b"PK", b"a,b\n0,1\n" * 100])
def test_other_files_are_refused(client, content):
    assert reopened(client, content)[0] == 400


def test_damaged_archives_are_refused(client, archive):
    content = bytearray(archive[1])
    for at in range(0, len(content), len(content) // 40):
        content[at] ^= 0xFF
    assert reopened(client, bytes(content))[0] == 400


def test_a_large_member_is_refused(client, archive, monkeypatch):
    monkeypatch.setattr(saved, "MOST_BYTES", 1000)
    assert reopened(client, archive[1])[0] == 400
    assert reopened(client, changed(archive[1], text=" " * 30_000_000))[0] == 400


def test_a_command_of_another_file_is_quoted(client, archive):
    name = "x; rm -rf $HOME"
    status, opened = reopened(client, changed(archive[1], title=name))
    assert status == 200
    command = client.json("GET", f"api/jobs/{opened['id']}/recipe")[1]["command"]
    assert command.startswith(f"markhood learn '{name}'")
