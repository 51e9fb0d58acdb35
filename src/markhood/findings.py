"""Message codes: every error, warning and note of markhood has a code, a place and a text.

The code names the kind of problem and stays the same from release to release. The place is the
column, option or file that is concerned. The text states the problem, where it is, and what to do.
Programs and tests look at code and place; people read the text. `CODES` lists every code with its
meaning and advice, and the documentation prints that table.

A `FindingLog` collects the findings of one table while it is read, because the reader may revise
a guess before the table is complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Severity = Literal["warning", "note"]


class Code(NamedTuple):
    """Meaning of a code, and what to do about it."""

    meaning: str
    advice: str


CODES = {
    # Options
    "option-value": Code(
        "An option has a value outside its range or list of choices.",
        "Choose one of the values that the message lists.",
    ),
    "option-unknown": Code(
        "An option, method or name does not exist.", "Check the spelling; the message lists names."
    ),
    "option-conflict": Code(
        "An option excludes another one, or does not apply to the data.",
        "Leave one of them out.",
    ),
    "option-needed": Code("An option or argument is missing.", "Pass it."),
    "not-supported": Code(
        "A combination of method, data and options is not supported.",
        "Follow the alternative in the message.",
    ),
    "library-missing": Code("An optional library is not installed.", "Install the named extra."),
    "memory": Code("The work needs more memory than there is.", "Use fewer columns or rows."),
    # Files
    "file-not-found": Code("A file or folder does not exist.", "Check the path."),
    "file-unreadable": Code(
        "A file cannot be opened or is not a regular file.",
        "Check its path and permissions.",
    ),
    "file-format": Code(
        "The format of a file is unknown or not supported.",
        "Use one of the formats that the message lists.",
    ),
    "file-damaged": Code(
        "The content of a file does not follow its format.",
        "Write the file again.",
    ),
    "file-encoding": Code("A text file is not UTF-8.", "Save it as UTF-8, or pass encoding=."),
    "file-exists": Code("An output would replace another file.", "Choose another name."),
    "file-not-writable": Code("An output cannot be written.", "Choose another folder."),
    "file-header": Code(
        "The header row was guessed, or a column has no name.",
        "Pass header=True or header=False.",
    ),
    "decimal-comma": Code("Numbers were read with a decimal comma.", "No action needed."),
    "file-content": Code("What a file contains and how its values were read.", "No action needed."),
    "file-part": Code(
        "A file has several parts, such as sheets or arrays, and only one can be read.",
        "Name the part to read, or save it as a file.",
    ),
    # Tables
    "too-few-rows": Code("There are too few rows to learn from.", "Add rows."),
    "too-few-columns": Code(
        "There are fewer than two variables.",
        "Keep more columns, or lower min_minor=.",
    ),
    "not-a-table": Code("The data are not a table of values.", "Pass a two-dimensional table."),
    "unknown-column": Code(
        "A named column does not exist.",
        "Check the spelling; the message lists similar names.",
    ),
    "duplicate-column": Code("Two columns have the same name.", "Rename one of them."),
    "columns-differ": Code(
        "Columns differ from those expected.",
        "Use tables with the same columns.",
    ),
    "constant-column": Code("A column has a single value and cannot have edges.", "Leave it out."),
    "empty-column": Code(
        "All or most values of a column are missing.", "Leave it out, or use missing='impute'."
    ),
    "distinct-column": Code(
        "Nearly every value of a column of an array is different: an identifier, date or text.",
        "Leave the column out.",
    ),
    "index-column": Code(
        "A column has row labels and was left out.",
        "Rename it if it is a variable.",
    ),
    "left-out": Code(
        "Columns are not variables and were left out: identifiers, dates, texts, weights, totals.",
        "Name a column in kinds= or columns= to keep it.",
    ),
    "codebook": Code(
        "A codebook has a value that is not known, or does not fit the data.",
        "Correct it; describe writes one with the current values.",
    ),
    "too-many-levels": Code(
        "A column of an array has too many categories.",
        "Leave it out, or raise max_levels=.",
    ),
    "not-a-level": Code("A value cannot be a level.", "Use numbers, text or other plain values."),
    "unknown-level": Code(
        "New data have a level that the model does not have.",
        "Recode it, or leave out the rows.",
    ),
    "infinite-values": Code(
        "A column contains infinite values.",
        "Replace them, or leave the column out.",
    ),
    "missing-values": Code(
        "Values are missing, and will be imputed or cannot be used.",
        "Choose how to treat them with missing=.",
    ),
    "skip-pattern": Code(
        "A column is empty where another one has certain values.",
        "To impute the values anyway, use missing='impute'.",
    ),
    "missing-codes": Code(
        "A value looks like a code for missing, or was treated as one.",
        "List the codes in missing_values=; an empty list keeps all values.",
    ),
    "rows-dropped": Code(
        "Rows were left out because of missing values or zero weight.",
        "No action needed.",
    ),
    "binned-columns": Code(
        "Numeric columns were cut into bins, or others cannot be.",
        "Change this with bins=.",
    ),
    "compositional": Code(
        "Counts were read as parts of a whole, or might be.",
        "Change this with compositional=.",
    ),
    "merged-levels": Code(
        "Rare levels or similar letters were merged.",
        "Change this with merge_rare= or letters=.",
    ),
    "level-kinds": Code("Columns were read as ordered or nominal.", "Change this with kinds=."),
    "weights": Code("Weights are not usable.", "Pass one finite, non-negative number per row."),
    "weights-read": Code(
        "Weights were read as frequencies or as survey weights.",
        "Change this with weights_are=.",
    ),
    "labels": Code(
        "Group, stratum, cluster or pair labels do not fit the rows.",
        "Pass one label per row.",
    ),
    "covariates": Code(
        "How a covariate is used, or why it cannot be used.",
        "Change adjust_for=, bins= or missing=.",
    ),
    # Genomes and alignments
    "genotypes": Code("Genotypes cannot be read as requested.", "Change genotypes=."),
    "sequences": Code(
        "Sequences cannot be read as an alignment.",
        "Align them, or change min_minor= and max_gap=.",
    ),
    "positions": Code("Positions of sites are missing or not usable.", "Pass positions=."),
    # Learning
    "identical-columns": Code("Columns are copies of each other.", "Use identical='group'."),
    "dependent-rows": Code(
        "Rows are copies of each other, or resemble their neighbours.",
        "Describe the rows with clusters= or time=, or remove the copies.",
    ),
    "chance-edges": Code("Some edges are expected by chance.", "Use more rows or a higher gamma."),
    "hidden-factors": Code(
        "Common causes that were not observed would explain much of the dependence.",
        "Adjust for them with factors='auto', or silence the check with factors=0.",
    ),
    "negative-evidence": Code(
        "Most edges have negative evidence.", "Compare with method='plrhc', or use more rows."
    ),
    "dense-graph": Code("The graph is unusually dense.", "See the advice in the message."),
    "many-parameters": Code("There are many parameters per row.", "Merge levels or order them."),
    "constraints": Code("Required, forbidden or grouped edges are not usable.", "Correct them."),
    "checkpoint": Code(
        "A checkpoint cannot be used for this run.",
        "Use another folder, or leave out checkpoint=.",
    ),
    "data-changed": Code("The data differ from those of the graph.", "Use the same data."),
    "not-converged": Code("Fits or chains did not converge.", "See the advice in the message."),
    "prior-dependent": Code(
        "The number of edges depends on the prior probability of an edge.",
        "Compare the graphs of several values of edge_prior=, or use more rows.",
    ),
    "candidates-cut": Code("Search spaces were cut.", "Raise max_candidates."),
    "analyses-left-out": Code(
        "Some analyses of a study of robustness were not possible.",
        "Give other values in vary=.",
    ),
    "pairs-screened": Code(
        "Only the pairs that passed a screen are compared between groups.",
        "Compare fewer columns at a time to include all pairs.",
    ),
    "linkage": Code("All edges join neighbouring sites.", "Look at pairs alone."),
    "separated": Code(
        "The data are separated, so that some estimates are infinite.",
        "Fit the model with a prior, as fit_model does by default.",
    ),
    "sampled-prediction": Code(
        "Probabilities were estimated by Gibbs sampling.", "Use the same seed to repeat them."
    ),
    "executor": Code("An executor or device cannot be used.", "Choose another one."),
    # Graphs and models
    "graph-invalid": Code(
        "Nodes, edges or their columns are not consistent, or an argument is not a graph.",
        "Correct the argument that the message names.",
    ),
    "graph-unknown": Code("A node, edge or column of a graph does not exist.", "Check the name."),
    "graphs-differ": Code(
        "Two graphs do not have the same nodes.", "Give both graphs the same node names."
    ),
    "graph-empty": Code("There is nothing to show or to compute.", "Use another graph."),
    "no-provenance": Code("A graph or model does not say how it was made.", "Learn it again."),
    "model-invalid": Code(
        "Couplings, tables, fields or levels of a model are not consistent.",
        "Correct the argument that the message names.",
    ),
    "model-size": Code(
        "A computation is too large, or a parameter too large for the sampler.",
        "Use the alternative in the message.",
    ),
    "model-data": Code(
        "Data do not fit the model.", "Pass data with the variables and levels of the model."
    ),
    "too-few-groups": Code(
        "There are too few groups to compare, or too few samples in one.",
        "Merge groups or add rows.",
    ),
}


# The first code of each group in `CODES`, by the title of the group in the documentation.
CODE_GROUPS = {
    "Options": "option-value",
    "Files": "file-not-found",
    "Tables": "too-few-rows",
    "Genomes and alignments": "genotypes",
    "Learning": "identical-columns",
    "Graphs and models": "graph-invalid",
}


@dataclass(frozen=True)
class Finding:
    """A message with its code and place.

    Attributes
    ----------
    code : str
        One of `CODES`.
    where : str
        The column, option or file that is concerned; empty for the whole table or request.
    text : str
        The problem or the decision, and what to do.
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
    """Collect the findings of one table while it is read, and the columns that are left out.

    Attributes
    ----------
    findings : list of Finding
        In the order in which they were recorded, without repetitions.
    left_out : dict of str to str
        Columns that are not variables, with the reason.
    texts : dict of str to str
        Labels of columns that the source contains, such as the texts of questions.
    """

    findings: list[Finding] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    _n_emitted: int = 0

    def add_warning(self, code: str, where: str, text: str) -> None:
        """Record a finding that becomes a warning when the table is complete."""
        self._record(Finding(code, where, text, "warning"))

    def add_note(self, code: str, where: str, text: str) -> None:
        """Record a finding that is shown in the summary only."""
        self._record(Finding(code, where, text))

    def leave_out(self, column: str, reason: str) -> None:
        """Record that a column is not a variable; the first reason is kept."""
        self.left_out.setdefault(column, reason)

    def copy(self) -> FindingLog:
        """Return a log with the same content, for an attempt that may fail."""
        return FindingLog(
            list(self.findings), dict(self.left_out), dict(self.texts), self._n_emitted
        )

    def pending(self) -> list[Finding]:
        """Return the warnings recorded since the last call."""
        fresh, self._n_emitted = self.findings[self._n_emitted :], len(self.findings)
        return [one for one in fresh if one.severity == "warning"]

    def _record(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)
