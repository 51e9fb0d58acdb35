"""Measure the page of a large graph in Chromium: `CHROMIUM=$(command -v chromium) python benchmarks/report_page.py`.

A graph of 20 000 variables in 100 groups with 60 000 edges (or other numbers as arguments) is
written as a report and opened in headless Chromium with software rendering. Seconds to the
first picture, frames per second while the picture (of the largest community of a large graph) is
dragged, and the memory of the browser's drawing processes are printed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

import markhood

FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PER_GROUP = 200  # variables
INSIDE = 0.9  # share of the edges inside a group
SECONDS = 4  # of panning
# Only frames in which WebGL draws count: the browser also has frames in which the picture stands still.
FRAMES = """
    window.frames = 0;
    let drawn = false;
    for (const kind of [WebGLRenderingContext, WebGL2RenderingContext]) {
        for (const name of ["drawArrays", "drawArraysInstanced", "drawElements"]) {
            const own = kind.prototype[name];
            if (own) kind.prototype[name] = function (...given) { drawn = true; return own.apply(this, given); };
        }
    }
    const count = () => { window.frames += drawn; drawn = false; requestAnimationFrame(count); };
    requestAnimationFrame(count);
"""


def planted(n_nodes: int, n_edges: int) -> markhood.Graph:
    """Return a graph of groups of variables, with most edges inside a group."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, n_nodes, 2 * n_edges)
    inside = np.minimum(
        first // PER_GROUP * PER_GROUP + rng.integers(0, PER_GROUP, 2 * n_edges), n_nodes - 1
    )
    second = np.where(
        rng.random(2 * n_edges) < INSIDE, inside, rng.integers(0, n_nodes, 2 * n_edges)
    )
    pairs = np.unique(np.sort(np.column_stack([first, second]), axis=1), axis=0)
    pairs = rng.permutation(pairs[pairs[:, 0] < pairs[:, 1]])[:n_edges]
    evidence, coupling = rng.exponential(10, (len(pairs), 2)), rng.normal(size=(len(pairs), 1))
    return markhood.Graph(
        [f"gene {k}" for k in range(n_nodes)], pairs, evidence, np.repeat(coupling, 2, axis=1)
    )


def frames_per_second(page: Page) -> float:
    """Return the frames per second while the background is dragged in a circle."""
    box = page.locator("#network").bounding_box()
    assert box is not None
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    page.mouse.move(middle[0], box["y"] + 0.99 * box["height"])
    page.mouse.down()
    start, before = time.perf_counter(), page.evaluate("window.frames")
    while (passed := time.perf_counter() - start) < SECONDS:
        angle = 3 * passed
        page.mouse.move(*(middle + 150 * np.array([np.cos(angle), np.sin(angle)])).tolist())
    frames = page.evaluate("window.frames") - before
    page.mouse.up()
    return float(frames / (time.perf_counter() - start))


def megabytes(browser: Browser) -> float:
    """Return the resident memory of the processes that draw pages."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    total = 0
    for process in found:
        if process["type"] in ("renderer", "GPU"):
            status = Path(f"/proc/{process['id']}/status").read_text()
            total += int(status.split("VmRSS:")[1].split()[0])
    return total / 1e3


def main() -> None:
    """Print one row of figures."""
    n_nodes, n_edges = (int(text) for text in (sys.argv[1:] or ("20000", "60000")))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder, "large.html")
        start = time.perf_counter()
        markhood.write_report(planted(n_nodes, n_edges), path)
        written = time.perf_counter() - start
        print(f"{n_nodes} variables, {n_edges} edges: written in {written:.1f} s", flush=True)
        browser = started.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(300_000)
        page.add_init_script(FRAMES)
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        opened = time.perf_counter() - start
        page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
        page.evaluate("document.getElementById('network').scrollIntoView()")
        # The picture of a large graph begins with its communities: pan in the largest.
        if page.is_visible("#overview"):
            page.click("#overview [data-community='0']")
        print(
            f"{path.stat().st_size / 1e6:.1f} MB; first picture {opened:.1f} s; "
            f"{frames_per_second(page):.1f} frames/s; {megabytes(browser):.0f} MB of memory"
        )
        browser.close()


if __name__ == "__main__":
    main()
