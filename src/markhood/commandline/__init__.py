"""The command line: one file per command.

`app` puts the commands together. Each parses, calls and prints. `options` makes options from their
declarations, `help` formats the help, `terminal` has what all commands do (errors, progress bar,
files to write), `summary` prints what was learned, `text_tables` prints tables that fit the
terminal. typer and rich are imported in this package only.
"""
