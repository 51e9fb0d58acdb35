"""How Sphinx builds the documentation: `make docs`.

Two pages are written before Sphinx reads any: the API reference from the public names, and the
help of every command from the command line itself. So neither can fall behind the code.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import matplotlib as mpl
from written_pages import write_api, write_help

import markhood
from markhood.learning.methods import METHODS

mpl.use("Agg")

project = "markhood"
author = "the markhood authors"
copyright = author
version = release = markhood.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["tests", "extensions", "templates", "generated/help.md"]
templates_path = ["templates"]
default_role = "py:obj"
# sphinx-gallery's settings hold functions, which Sphinx cannot keep between builds.
suppress_warnings = ["config.cache"]

write_api(HERE / "generated" / "api.rst")
write_help(HERE / "generated" / "help.md")

# Paragraphs about a method that this version may not have stand in {only} blocks.
for method in METHODS:
    tags.add(method.replace("-", "_"))  # type: ignore[name-defined]  # noqa: F821

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\w+\.py$",
    "abort_on_example_error": True,
    "run_stale_examples": True,  # the package may have changed, though the example did not
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 10,
    "plot_gallery": "True",
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
}

PAGES = [page.stem for page in HERE.glob("*.md")]

html_theme = "pydata_sphinx_theme"
html_title = "markhood"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "markhood"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {page: ["page-toc"] for page in (*PAGES, "generated/api/*")},
}
# Only the gallery and the reference have pages below them to list.
html_sidebars = {page: [] for page in PAGES}
