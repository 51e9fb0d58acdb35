"""From an uploaded table to results: the same as the command line and Python give."""

import csv
import io
import json
import runpy
import shlex
import subprocess
import sys
import time
import zipfile
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

import markhood
from markhood.app.files import files_of
from markhood.commandline.app import app

QUESTIONS = {
    "learn": {"gamma": "0.25", "exclude": "mood"},
    "bootstrap": {"replicates": "20", "seed": "3"},
    "compare-groups": {"by": "group", "permutations": "50", "columns": "q1,q2,q3,group"},
    "plan": {"measure": "specificity", "data_sets": "45", "power": "0.5"},
}


@pytest.fixture(scope="module")
def table(client, survey):
    return client.upload("survey.csv", survey)


def content(client, job, name):
    status, headers, body = client.send("GET", f"api/jobs/{job['id']}/files/{name}")
    assert status == 200
    return headers, body


def edges(client, job):
    """Return the names of the edges of the learned graph."""
    links = json.loads(content(client, job, "graph.json")[1])["edges"]
    return sorted([link["source"], link["target"]] for link in links)


def test_a_table_is_described(client, table):
    described = client.do("describe", table)["result"]
    assert described["rows"] == 300
    by_name = {row["column"]: row for row in described["codebook"]}
    assert by_name["id"]["role"] == "skip"
    assert by_name["mood"]["levels"] == ["low", "mid", "high"]
    assert by_name["q1"]["kind"] == "ordinal"
    assert sum(by_name["q1"]["shares"]) == pytest.approx(1, abs=1e-3)
    assert all("--" not in one["text"] for one in described["findings"])


def test_changes_of_columns_are_a_codebook(client, table):
    rows = [
        {"column": "mood", "levels": ["high", "mid", "low"]},
        {"column": "q5", "role": "skip"},
        {"column": "group", "role": "covariate"},
    ]
    described = client.do("describe", table, codebook=rows)["result"]
    by_name = {row["column"]: row for row in described["codebook"]}
    assert by_name["mood"]["levels"] == ["high", "mid", "low"]
    assert by_name["q5"]["role"] == "skip"
    assert by_name["group"]["role"] == "covariate"
    job = client.do("answer", table, codebook=rows)
    graph = json.loads(content(client, job, "graph.json")[1])
    assert {node["id"] for node in graph["nodes"]} == {"q1", "q2", "q3", "q4", "mood"}
    stored = list(csv.DictReader(io.StringIO(content(client, job, "codebook.csv")[1].decode())))
    assert [(row["column"], row["role"]) for row in stored] == [
        ("mood", ""),
        ("q5", "skip"),
        ("group", "covariate"),
    ]


def test_a_codebook_that_does_not_fit_is_refused(client, table):
    job = client.do("describe", table, codebook=[{"column": "q1", "role": "king"}])
    assert job["status"] == "failed"
    assert "king" in job["error"]


@pytest.fixture(scope="module")
def answered(client, table):
    """Answer a question once; other questions than learn have a codebook."""

    @cache
    def answer(question):
        rows = [{"column": "mood", "role": "skip"}] if question != "learn" else []
        settings = QUESTIONS[question]
        return client.do("answer", table, question=question, settings=settings, codebook=rows)

    return answer


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_an_answer(client, answered, question):
    job = answered(question)
    assert job["status"] == "done", job["error"]
    result = job["result"]
    assert result["headline"]
    assert result["paragraph"]
    assert bool(result["reports"]) == (question != "plan")
    for name in files_of(result):
        headers, body = content(client, job, name)
        assert body
        assert headers["content-security-policy"].startswith("sandbox")
    assert [name for name in files_of(result) if name.endswith(".csv")]


@pytest.mark.filterwarnings("ignore")  # the recipes run here; the page showed their notes
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_recipes_repeat_the_analysis(
    client, answered, survey_file, tmp_path, monkeypatch, question
):
    """Run the command and the Python code, and compare their tables with that of the page."""
    job = answered(question)
    assert job["status"] == "done", job["error"]
    recipe = client.json("GET", f"api/jobs/{job['id']}/recipe")[1]
    monkeypatch.chdir(tmp_path)
    Path("survey.csv").write_bytes(survey_file.read_bytes())
    if question != "learn":
        Path("codebook.csv").write_bytes(content(client, job, "codebook.csv")[1])
    words = shlex.split(recipe["command"].replace("\\\n", " "))
    CliRunner().invoke(app, words[1:], catch_exceptions=False)
    Path("recipe.py").write_text(recipe["python"])
    names = runpy.run_path("recipe.py")
    if question == "learn":
        graph = markhood.read_graph("survey.json")
        shown = edges(client, job)
        assert shown
        in_python = sorted(map(list, names["graph"].edge_names()))
        assert shown == sorted(map(list, graph.edge_names())) == in_python
        return
    found = names["found"]
    rows = {
        "bootstrap": lambda: found.edges(),
        "compare-groups": lambda: found.edge_rows(),
        "plan": lambda: found.rows(),
    }[question]()
    first = job["result"]["tables"][0]["file"]
    of_page = list(csv.DictReader(io.StringIO(content(client, job, first)[1].decode())))
    with Path(f"survey-{first}").open(newline="") as file:
        of_command = list(csv.DictReader(file))
    of_python = [{name: str(value) for name, value in row.items()} for row in rows]
    by_text = lambda row: list(row.values())
    assert sorted(of_page, key=by_text) == sorted(of_command, key=by_text)
    assert sorted(of_page, key=by_text) == sorted(of_python, key=by_text)


def test_a_study_is_planned_without_a_table(client):
    settings = {"nodes": "5", "density": "0.4", "coupling": "2", "data_sets": "45"}
    job = client.do("answer", None, question="plan", settings=settings)
    assert job["status"] == "done", job["error"]
    assert "people" in job["result"]["headline"]
    recipe = client.json("GET", f"api/jobs/{job['id']}/recipe")[1]
    assert recipe["command"].startswith("markhood plan --nodes 5 --density 0.4")


@pytest.mark.parametrize("question", ["learn", "bootstrap", "compare-groups", "plan"])
def test_forecasts(client, table, question):
    job = client.do("forecast", table, question=question, settings=QUESTIONS[question])
    assert job["status"] == "done", job["error"]
    seconds = job["result"]["seconds"]
    assert (seconds is None) == (question == "plan")


def test_groups_need_a_column(client, table):
    job = client.do("answer", table, question="compare-groups")
    assert job["status"] == "failed"
    assert "column" in job["error"]


def test_a_file_of_edges_is_uploaded_with_the_table(client, survey):
    table = client.upload("survey.csv", survey)
    path = f"api/tables/{table}/files?name=never.csv"
    assert client.send("POST", path, b"source,target\nq1,q2\n")[0] == 200
    assert client.send("POST", f"api/tables/{table}/files?name=survey.csv", b"")[0] == 400
    job = client.do("answer", table, settings={"forbidden_edges": "never.csv"})
    assert job["status"] == "done", job["error"]
    assert ["q2", "q3"] in edges(client, job)
    assert ["q1", "q2"] not in edges(client, job)


def test_the_reproduction_repeats_the_graph(client, table, survey, tmp_path):
    rows = [{"column": "mood", "levels": ["high", "mid", "low"]}]
    job = client.do("answer", table, settings={"gamma": "0.25"}, codebook=rows)
    archive = zipfile.ZipFile(io.BytesIO(content(client, job, "reproduction.zip")[1]))
    with archive:
        archive.extractall(tmp_path)
    assert not any(name.endswith("survey.csv") for name in archive.namelist())
    (tmp_path / "survey.csv").write_bytes(survey)
    script = tmp_path / "reproduction" / "reproduce.py"
    command = [sys.executable, "-W", "ignore", script, tmp_path / "survey.csv"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "reproduced" in done.stdout


def test_two_results_are_compared(client, table, answered):
    first = answered("learn")
    second = client.do("answer", table, settings={"exclude": "q5"})
    status, job = client.json("POST", f"api/jobs/{first['id']}/with/{second['id']}")
    assert status == 200
    compared = client.finished(job)
    assert compared["status"] == "done", compared["error"]
    assert b"only in first" in content(client, compared, "comparison.html")[1]
    planned = answered("plan")
    assert client.json("POST", f"api/jobs/{first['id']}/with/{planned['id']}")[0] == 400
    assert client.json("POST", f"api/jobs/{first['id']}/with/absent")[0] == 404


def test_cancelling_takes_less_than_a_second(client, table):
    job = client.start("answer", table, question="bootstrap", settings={"replicates": "100000"})
    while job["progress"] is None:
        _, job = client.json("GET", f"api/jobs/{job['id']}")
        assert job["status"] == "running", job["error"]
        time.sleep(0.02)
    worker = client.workspace.job(job["id"]).process
    begin = time.monotonic()
    assert client.json("POST", f"api/jobs/{job['id']}/cancel")[1]["status"] == "cancelled"
    while worker.returncode is None:
        assert time.monotonic() < begin + 1
        time.sleep(0.01)
    assert client.json("GET", f"api/jobs/{job['id']}")[1]["status"] == "cancelled"
    assert not client.workspace.folder_of(client.workspace.job(job["id"])).exists()


def test_a_worker_that_dies_is_reported(client, table):
    job = client.start("answer", table, question="bootstrap", settings={"replicates": "100000"})
    client.workspace.job(job["id"]).process.kill()
    job = client.finished(job)
    assert job["status"] == "failed"
    assert "memory" in job["error"]


def test_too_much_work_at_once_is_refused(client, table):
    settings = {"replicates": "100000"}
    jobs = [
        client.start("answer", table, question="bootstrap", settings=settings) for _ in range(6)
    ]
    asked = {"task": "answer", "question": "learn", "method": "plrhc", "settings": {}}
    assert client.json("POST", "api/jobs", asked | {"codebook": [], "table": table})[0] == 429
    for job in jobs:
        assert client.json("DELETE", f"api/jobs/{job['id']}")[0] == 200
    assert client.do("describe", table)["status"] == "done"


def test_files_of_a_result_are_only_its_own(client, answered):
    job = answered("learn")
    for name in ("..%2f..%2fsurvey.csv", "job.json", "%2fetc%2fpasswd", "graph.html%00", ""):
        assert client.send("GET", f"api/jobs/{job['id']}/files/{name}")[0] in (400, 404)
    status, headers, _ = client.send("GET", f"api/jobs/{job['id']}/files/graph.json?download")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="survey-graph.json"'


def test_removing_a_table_ends_its_work(client, survey):
    table = client.upload("survey.csv", survey)
    job = client.start("answer", table, question="bootstrap", settings={"replicates": "100000"})
    path = client.workspace.table(table)
    assert client.json("DELETE", f"api/tables/{table}")[0] == 200
    assert not path.exists()
    assert client.finished(job)["status"] == "cancelled"


def test_examples_can_be_opened(client):
    _, state = client.json("GET", "api/state")
    names = [one["name"] for one in state["examples"]]
    assert "votes" in names
    table = client.json("POST", "api/examples/votes")[1]["table"]
    assert client.do("describe", table)["result"]["rows"] == 435
    assert client.send("POST", "api/examples/..%2fx")[0] == 404
    assert client.send("POST", "api/examples/absent")[0] == 404
