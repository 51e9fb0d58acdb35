"""Which requests are accepted: host, origin, token, paths and sizes."""

import io
import socket
import zipfile
from urllib.parse import quote

import pytest

from app.conftest import TOKEN

FOREIGN = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1.evil.example:{port}",
    "[::1]:{port}",
    "",
]


@pytest.mark.parametrize("host", FOREIGN)
def test_another_host_is_refused(client, host):  # as after DNS rebinding
    name = host.format(port=client.port) or " "
    assert client.send("GET", "api/state", host=name)[0] in (400, 403)


def test_two_hosts_are_refused(client):
    text = f"GET /{TOKEN}/ HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nHost: evil.example\r\n\r\n"
    with socket.create_connection(("127.0.0.1", client.port)) as raw:
        raw.sendall(text.encode())
        assert raw.recv(100).split()[1] in (b"400", b"403")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_another_origin_is_refused(client, origin, method):
    headers = {"Origin": origin.format(port=client.port)}
    status, answered, _ = client.send(method, "api/state", headers=headers)
    assert status == 403
    assert not [name for name in answered if name.lower().startswith("access-control")]


def test_the_own_origin_is_accepted(client):
    for name in ("127.0.0.1", "localhost"):
        own = f"{name}:{client.port}"
        assert client.send("GET", "api/state", None, {"Origin": f"http://{own}"}, own)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/state",
        f"/{TOKEN}x/api/state",
        f"/{TOKEN[:-1]}/",
        "//",
        f"/x/{TOKEN}/",
        "/token-of-the-t%C3%A9st/",
    ],
)
def test_a_missing_or_wrong_token_is_refused(client, path):
    status, _, body = client.send("GET", path)
    assert status == 403
    assert b"address" in body
    assert TOKEN.encode() not in body


def test_responses_forbid_everything_else(client):
    _, headers, body = client.send("GET", "")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"  # the address has the token
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert TOKEN.encode() not in body
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "static/../../settings.py",
        "static/..%2f..%2fserver.py",
        "static/%2e%2e/server.py",
        "static/..%5cserver.py",
        "static/server.py",
        "static/",
        "static/%2fetc%2fpasswd",
        "../../etc/passwd",
        "api/jobs/..%2f..",
    ],
)
def test_paths_do_not_leave_their_folder(client, path):
    status, _, body = client.send("GET", path)
    assert status in (400, 403, 404)
    assert b"import" not in body
    assert b"root:" not in body


@pytest.mark.parametrize(
    "name",
    [
        "../x.csv",
        "..",
        ".x.csv",
        "a/b.csv",
        "a\\b.csv",
        "/etc/x.csv",
        "x\0.csv",
        "x\n.csv",
        "",
        "x" * 300,
        "C:x.csv",
    ],
)
def test_names_with_folders_are_refused(client, name):
    before = sorted(client.workspace.folder.rglob("*"))
    status, _, body = client.send("POST", f"api/tables?name={quote(name)}", b"a,b\n0,1\n")
    assert status == 400
    assert b"name" in body
    assert sorted(client.workspace.folder.rglob("*")) == before


def test_a_file_above_the_limit_is_refused_before_it_is_read(client):
    headers = {"Content-Length": "2000001"}
    with socket.create_connection(("127.0.0.1", client.port)) as raw:
        path = f"/{TOKEN}/api/tables?name=a.csv"
        lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{client.port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        assert raw.recv(100).split()[1] == b"413"


def test_a_file_that_grows_above_the_limit_is_refused_and_removed(client):
    def chunks():
        for _ in range(30):
            yield b"10000\r\n" + b"0" * 0x10000 + b"\r\n"
        yield b"200000\r\n" + b"0" * 0x200000 + b"\r\n0\r\n\r\n"

    before = {path for path in client.workspace.folder.rglob("*") if path.is_file()}
    body = b"".join(chunks())
    headers = {"Transfer-Encoding": "chunked"}
    try:
        status = client.send("POST", "api/tables?name=a.csv", body, headers)[0]
    except (BrokenPipeError, ConnectionResetError):
        status = 413  # the server stopped reading
    assert status == 413
    assert {path for path in client.workspace.folder.rglob("*") if path.is_file()} == before


def test_a_file_within_the_limit_is_kept(client):
    table = client.upload("large.csv", b"a,b\n" + b"0,1\n" * 400_000)
    assert client.workspace.table(table).stat().st_size == 1_600_004
    assert client.json("DELETE", f"api/tables/{table}")[0] == 200
    assert client.json("DELETE", f"api/tables/{table}")[0] == 404


def test_an_upload_that_stops_leaves_nothing(client):
    before = set(client.workspace.folder.rglob("*.csv*"))
    with socket.create_connection(("127.0.0.1", client.port)) as raw:
        head = (
            f"POST /{TOKEN}/api/tables?name=cut.csv HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
        )
        raw.sendall(f"{head}Content-Length: 1000\r\n\r\na,b\n".encode())
    for _ in range(3):
        assert client.send("GET", "api/state")[0] == 200
    assert set(client.workspace.folder.rglob("*.csv*")) == before


TASK = {
    "task": "answer",
    "question": "plan",
    "method": "plrhc",
    "settings": {},
    "codebook": [],
    "table": None,
}


@pytest.mark.parametrize(
    "change",
    [
        {"task": "remove"},
        {"question": "drop"},
        {"method": "best"},
        {"settings": []},
        {"codebook": {}},
        {"table": "../x"},
        {"table": 3},
        {"question": "learn"},
        {"task": "describe"},
    ],
)
def test_unknown_tasks_are_refused(client, change):
    status, answer = client.json("POST", "api/jobs", TASK | change)
    assert status in (400, 404)
    assert answer["error"]


@pytest.mark.parametrize(
    "body", [b"", b"[", b"[]", b"null", b"[" * 100_000, b"\xff", b"{}" + b" " * 5_000_000]
)
def test_bodies_that_are_not_tasks_are_refused(client, body):
    try:
        assert client.send("POST", "api/jobs", body)[0] in (400, 413)
    except (BrokenPipeError, ConnectionResetError):
        assert len(body) > 4_000_000


@pytest.mark.parametrize(
    "settings",
    [
        {"executor": "dask"},
        {"scheduler": "tcp://evil.example:1"},
        {"checkpoint": "/tmp/x"},
        {"codebook": "/etc/passwd"},
        {"weights": "/etc/passwd"},
        {"positions": "/etc/passwd"},
        {"required_edges": "../../x"},
        {"gamma": "many"},
        {"gamma": {}},
        {"unknown": "1"},
    ],
)
def test_settings_cannot_name_files_or_other_machines(client, survey, settings):
    table = client.upload("survey.csv", survey)
    job = client.do("answer", table, settings=settings)
    assert job["status"] == "failed"
    assert "root:" not in job["error"]
    assert "Traceback" not in job["error"]


GARBAGE = bytes(range(256)) * 40


@pytest.mark.parametrize(
    "ending",
    [
        "csv",
        "xlsx",
        "sav",
        "dta",
        "rds",
        "npy",
        "npz",
        "parquet",
        "vcf",
        "fasta",
        "bed",
        "biom",
        "exe",
        "csv.gz",
    ],
)
def test_garbage_is_refused_with_a_message(client, ending):
    table = client.upload(f"garbage.{ending}", GARBAGE)
    job = client.do("describe", table)
    assert job["status"] == "failed"
    assert "Traceback" not in job["error"]
    assert str(client.workspace.folder) not in job["error"]
    assert client.send("GET", "api/state")[0] == 200


def bomb():
    """Return a sheet of 100 kB that expands to 200 MB of cells."""
    sheet = io.BytesIO()
    cells = b'<row><c t="inlineStr"><is><t>a</t></is></c></row>' * 4_000_000
    with zipfile.ZipFile(sheet, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        head = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            head
            + b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
            + cells
            + b"</sheetData></worksheet>",
        )
    return sheet.getvalue()


def test_a_zip_bomb_is_refused(client):
    content = bomb()
    assert len(content) < 1_500_000
    job = client.do("describe", client.upload("bomb.xlsx", content))
    assert job["status"] == "failed"
    assert "bomb.xlsx" in job["error"]
    assert client.send("GET", "api/state")[0] == 200


def test_quit_is_called(client):
    assert client.json("POST", "api/quit")[0] == 200
    assert client.ended.is_set()
