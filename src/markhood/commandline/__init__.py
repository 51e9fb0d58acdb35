"""The command line: a function per command.

`app` puts the commands together. Each parses, calls and prints; small commands about the same thing
share a file. `options` makes options from their declarations, and formats the help; `terminal`
has what all commands do (errors, progress bar, tables, files to write), `summary` prints what was
learned. typer and rich are imported in this package only.
"""
