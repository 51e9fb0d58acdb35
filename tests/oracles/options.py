"""Flat options, as the command line has them, in the groups that Python callers pass."""

import markhood

GROUPS = {
    "table": markhood.TableFormat,
    "genome": markhood.Genome,
    "knowledge": markhood.Knowledge,
    "run": markhood.Run,
}


def grouped(options):
    """Return options with those of each group put into its object."""
    flat, of_groups = dict(options), {}
    for name, group in GROUPS.items():
        own = {option: flat.pop(option) for option in group.names() if option in flat}
        if own:
            of_groups[name] = group(**own)
    return flat | of_groups
