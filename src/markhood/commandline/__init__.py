"""The command line: a file a command.

`app` puts the commands together. Each parses, calls and prints: `learn` makes a request of what was
typed. `options` and `reading` have the options that commands share, `terminal` what they all do
(one sentence for an error, a progress bar), `summary` what is said of a result. typer and rich are
imported in this room only; numbers are made elsewhere.
"""
