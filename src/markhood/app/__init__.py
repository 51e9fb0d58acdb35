"""`markhood app`: the whole way from a table to a report, in the user's own browser.

`start` opens the address, `server` answers its page, `jobs` runs each piece of work in a `worker`
process, `questions` are the analyses that a user can choose, `settings` turns declared options into
forms, `recipes` writes an analysis as a command and as Python code, `saved` stores it in a file.
The page itself is in `page/`: plain modules that a browser loads without a build.
"""
