"""The report: one HTML file that holds a graph, where it came from, and a page to explore it.

`page.html`, `style.css` and `bundle.js` (built from `web/` by `make web`, licences beside it) are
the page; `page.py` puts the data into it, `facts.py` puts into words what was run and what to be
wary of. Everything is worked out here and nothing is fetched by the page.
"""
