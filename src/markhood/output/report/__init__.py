"""The report: one HTML file with a graph, its provenance, and an interactive view.

`page.html`, `style.css` and `bundle.js` (built from `web/` by `make web`, with the licences) are
the page; `page.py` inserts the data, and `facts.py` writes the texts. Everything is computed here,
and the page fetches nothing.
"""
