"""How Sphinx builds the documentation: `make docs`.

Some pages are written from the code before Sphinx reads any page: the API reference from the public names, the
help of every command from the command line, and the report on the front page. They are therefore always up to date.
`extensions/site_pages` changes the links of a page for the site.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import matplotlib as mpl
from site_pages import write_live_report
from written_pages import write_api, write_help

import markhood

mpl.use("Agg")

project = "markhood"
author = "the markhood authors"
copyright = author
version = release = markhood.__version__

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "site_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "tutorials",
]
exclude_patterns = ["tests", "extensions", "templates", "generated/help.md"]
templates_path = ["templates"]
default_role = "py:obj"
# sphinx-gallery's settings hold functions, which Sphinx cannot keep between builds.
suppress_warnings = ["config.cache"]

write_api(HERE / "generated")
write_help(HERE / "generated" / "help.md")
write_live_report(HERE / "generated" / "site")
html_extra_path = ["generated/site"]

myst_heading_anchors = 3
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]

autosummary_generate = [str(page) for page in (HERE / "generated" / "reference").glob("*.rst")]
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

PAGES = [str(page.relative_to(HERE).with_suffix("")) for page in HERE.glob("**/*.md")]

# The copy button copies the input only, without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "markhood"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "markhood"},
    "navbar_center": ["navbar-nav"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {page: ["page-toc"] for page in (*PAGES, "generated/api/*")},
}
html_sidebars = {"index": []}
