"""`markhood predict`: predict columns of a table with a fitted model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from markhood.commandline.terminal import announce, check_outputs, words
from markhood.errors import InputError


def predict(
    model: Annotated[Path, typer.Argument(help="A model that markhood fit wrote.")],
    data: Annotated[
        Path,
        typer.Argument(help="Data with the model's columns; the targets may be left out."),
    ],
    target: Annotated[
        str, typer.Option(metavar="LIST", help="Columns to predict: smokes, or smokes,coughs.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write predictions and probabilities: .csv.")
    ],
    seed: Annotated[
        int, typer.Option(help="Random seed, where sums over many missing values are sampled.")
    ] = 0,
) -> None:
    """Predict columns from all others: the most probable level, and the probability of each level.

    Missing values in the other columns are summed over.

    [bold]Examples[/bold]

      markhood predict model.json new.csv --target coughs --output predicted.csv
    """
    from markhood.data.variables import level_text
    from markhood.output.csv_tables import write_table
    from markhood.output.model_files import read_model

    if seed < 0:
        raise InputError("option-value", "seed", f"--seed must be 0 or more, not {seed}.")
    check_outputs([], inputs=[model, data], tables=[output])
    fitted = read_model(model)
    targets = words(target)
    chances = fitted.predict_proba(data, targets, seed)
    columns: dict[str, list[object]] = {}
    for name, own in zip(targets, chances, strict=True):
        levels = [level_text(v) for v in fitted.levels[fitted.distribution.graph.number(name)]]
        columns[name] = [levels[k] for k in own.argmax(axis=1).tolist()]
        for level, share in zip(levels, own.T.tolist(), strict=True):
            columns[f"{name} = {level}"] = [round(p, 6) for p in share]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    write_table(rows, output)
    announce(f"Wrote {output}: {len(rows)} samples")
