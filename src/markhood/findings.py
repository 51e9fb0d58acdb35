"""Message codes: every error, warning and note of markhood is a finding with a code, a place and a text.

The code names the kind of problem and stays the same from release to release; the place is the column, option or
file that is concerned; the text says what is wrong, where, and what to do. Programs and tests look at code and place,
people read the text. `CODES` lists every code with its meaning and what to do about it; the documentation prints that table.

Findings of one table are gathered in a `FindingLog` while it is read, because a guess may be taken back before the table is complete,
and because a user wants to see all problems at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Severity = Literal["warning", "note"]


class Code(NamedTuple):
    """What a code means, and what to do about it."""

    meaning: str
    advice: str


CODES = {
    "unclassified": Code("To be removed once every message has a code.", ""),
    # Options
    "option-value": Code(
        "An option has a value outside its range or list of choices.",
        "Choose one of the values that the message lists.",
    ),
    "option-unknown": Code(
        "An option, method or name does not exist.", "Check the spelling; the message lists names."
    ),
    "option-conflict": Code("Two options exclude each other.", "Leave one of them out."),
    "option-needed": Code("An option or argument is missing.", "Pass it."),
    "not-supported": Code(
        "A combination of method, data and options is not supported.",
        "Follow the alternative in the message.",
    ),
    "library-missing": Code("An optional library is not installed.", "Install the named extra."),
    "memory": Code("The work needs more memory than there is.", "Use fewer columns or rows."),
    # Files
    "file-not-found": Code("A file or folder does not exist.", "Check the path."),
    "file-unreadable": Code("A file cannot be opened or is not a regular file.", "Check the file."),
    "file-format": Code("The format of a file is not known.", "Use one of the listed formats."),
    "file-damaged": Code("The content of a file breaks its format.", "Write the file again."),
    "file-encoding": Code("A text file is not UTF-8.", "Save it as UTF-8, or pass its encoding."),
    "file-exists": Code("An output would replace another file.", "Choose another name."),
    "file-not-writable": Code("An output cannot be written.", "Choose another place."),
    "file-header": Code("The header row was guessed.", "Pass header=True or header=False."),
    "file-content": Code("What a file contains.", "For information."),
    "file-part": Code("Only one of several parts of a file was read.", "Name the part to read."),
    # Tables
    "too-few-rows": Code("There are too few rows to learn from.", "Add rows."),
    "too-few-columns": Code("There are fewer than two variables.", "Keep more columns."),
    "not-a-table": Code("The data are not a table of values.", "Pass a two-dimensional table."),
    "unknown-column": Code("A named column does not exist.", "Check the spelling."),
    "duplicate-column": Code("Two columns have the same name.", "Rename one of them."),
    "columns-differ": Code("Columns differ from those expected.", "Pass the same columns."),
    "constant-column": Code("A column has a single value.", "Leave it out; it has no edges."),
    "empty-column": Code("All values of a column are missing.", "Leave it out."),
    "distinct-column": Code(
        "Nearly every value of a column is different: an identifier, date, text or measurement.",
        "Leave the column out, or cut numbers into bins.",
    ),
    "index-column": Code("A column was taken as row labels.", "Pass index=False to keep it."),
    "too-many-levels": Code("A column has too many levels.", "Leave it out or cut it into bins."),
    "not-a-level": Code("A value cannot be a level.", "Use numbers, text or other plain values."),
    "unknown-level": Code("New data have a level that the model does not know.", "Recode it."),
    "infinite-values": Code("A column contains infinite values.", "Replace them."),
    "missing-values": Code("Values are missing.", "Choose how to treat them with missing=."),
    "missing-codes": Code("A value looks like a code for missing.", "Name it in missing_values=."),
    "rows-dropped": Code("Rows were left out.", "For information."),
    "binned-columns": Code("Numeric columns were cut into bins.", "Change this with bins=."),
    "merged-levels": Code("Rare levels were merged.", "Change this with min_level_count=."),
    "level-kinds": Code("Columns were taken as ordered or nominal.", "Change this with kinds=."),
    "weights": Code("Weights are not usable or not plausible.", "Correct them."),
    "frequency-weights": Code(
        "Whole-number weights are treated as frequencies.",
        "For survey weights, divide them by their mean.",
    ),
    "labels": Code("Group, stratum, cluster or pair labels do not fit the rows.", "Correct them."),
    "covariates": Code("How a covariate is used, or why it cannot be.", "See adjust_for=."),
    # Genomes and alignments
    "genotypes": Code("How genotypes were read.", "Change this with genotypes=."),
    "sequences": Code("Sequences cannot be read as an alignment.", "Align them."),
    "positions": Code("Positions of sites are missing or not usable.", "Pass positions=."),
    # Learning
    "identical-columns": Code("Columns are copies of each other.", "Use identical='group'."),
    "chance-edges": Code("Some edges are expected by chance.", "Use more rows or a higher gamma."),
    "hidden-factors": Code(
        "Common causes that were not observed would explain much of the dependence.",
        "Adjust for them with factors='auto', or silence the check with factors=0.",
    ),
    "dense-graph": Code("The graph is unusually dense.", "See the advice in the message."),
    "many-parameters": Code("There are many parameters per row.", "Merge levels or order them."),
    "constraints": Code("Required, forbidden or grouped edges are not usable.", "Correct them."),
    "checkpoint": Code("A checkpoint cannot be used for this run.", "Use another folder."),
    "data-changed": Code("The data differ from those of the graph.", "Use the same data."),
    "not-converged": Code("Fits or chains did not converge.", "See the advice in the message."),
    "candidates-cut": Code("Search spaces were cut.", "Raise max_candidates."),
    "linkage": Code("All edges join neighbouring sites.", "Look at pairs alone."),
    "separated": Code("A maximum is infinite: the data are separated.", "Use a prior."),
    "sampled-prediction": Code("Predictions were sampled.", "Use the same seed to repeat them."),
    "executor": Code("An executor or device cannot be used.", "Choose another one."),
    # Graphs and models
    "graph-invalid": Code("Nodes, edges or their columns are not consistent.", "Correct them."),
    "graph-unknown": Code("A node, edge or column does not exist.", "Check the name."),
    "graphs-differ": Code("Two graphs do not have the same nodes.", "Match the node names."),
    "graph-empty": Code("There is nothing to show or to compute.", "Use another graph."),
    "no-provenance": Code("A graph or model does not say how it was made.", "Learn it again."),
    "model-invalid": Code("Parameters of a model are not consistent.", "Correct them."),
    "model-size": Code("An exact computation is too large.", "Use the approximation named."),
    "model-data": Code("Data do not fit the model.", "Pass data with the model's variables."),
    "too-few-groups": Code("Groups are too few or too small.", "Merge groups or add rows."),
}


@dataclass(frozen=True)
class Finding:
    """A message with its code and place.

    Attributes
    ----------
    code : str
        One of `CODES`.
    where : str
        The column, option or file that is concerned; empty where it is the whole table or request.
    text : str
        What is wrong or was decided, and what to do.
    severity : {"warning", "note"}
        A note is recorded and shown in summaries, without a warning.

    Examples
    --------
    >>> Finding("constant-column", "sex", "Column 'sex' has one value only.").code
    'constant-column'
    """

    code: str
    where: str
    text: str
    severity: Severity = "note"

    def as_json(self) -> dict[str, str]:
        """Return the finding for a provenance."""
        return {
            "code": self.code,
            "where": self.where,
            "text": self.text,
            "severity": self.severity,
        }


@dataclass
class FindingLog:
    """The findings of one table while it is read, and the columns that were left out with the reason."""

    findings: list[Finding] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    _n_emitted: int = 0

    def warn(self, code: str, where: str, text: str) -> None:
        """Record a finding that becomes a warning when the table is complete."""
        self._record(Finding(code, where, text, "warning"))

    def note(self, code: str, where: str, text: str) -> None:
        """Record a finding that is shown in the summary only."""
        self._record(Finding(code, where, text))

    def leave_out(self, column: str, reason: str) -> None:
        """Record that a column is not a variable."""
        self.left_out[column] = reason

    def pending(self) -> list[Finding]:
        """Return the warnings recorded since the last call."""
        fresh, self._n_emitted = self.findings[self._n_emitted :], len(self.findings)
        return [one for one in fresh if one.severity == "warning"]

    def _record(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)
