"""Read data frames of any library through narwhals, in chunks of rows.

narwhals supports pandas, polars, pyarrow and others without importing them. Columns that NumPy can
compare are passed on as arrays, other columns (text, dates, categories, numbers with missing
values) as Python values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from markhood.data.coding.encoder import LANE, Column, Encoder, chunk_rows
from markhood.data.coding.names import check_names
from markhood.data.kinds import Category
from markhood.data.reading import Reading
from markhood.data.samples import Samples
from markhood.data.scales import recognised_scale
from markhood.data.weights import wanted_columns
from markhood.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

NUMBER_KINDS = "biuf"
MOST_WHOLE = 2.0**63  # whole numbers from here on stay floats


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame as a narwhals frame, None for other data."""
    if type(data).__module__.split(".")[0] in ("builtins", "numpy", "scipy"):
        return None
    import narwhals as nw

    if type(data).__module__.startswith("xarray.") and hasattr(data, "data_vars"):
        data = _of_dataset(data)
    pyarrow: Any = nw.dependencies.get_pyarrow()
    if pyarrow is not None and isinstance(data, pyarrow.RecordBatch):
        data = pyarrow.Table.from_batches([data])
    try:
        frame = nw.from_native(data, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return None
        if not all(isinstance(name, str) for name in frame.columns):
            frame.schema  # noqa: B018  (pandas looks up other names only here)
    except (nw.exceptions.DuplicateError, TypeError) as error:
        is_arrow = nw.dependencies.is_pyarrow_table(data)
        check_names([str(name) for name in (data.column_names if is_arrow else data.columns)])
        raise InputError(
            "duplicate-column",
            "",
            "The column names of the data frame cannot be compared or looked up: rename the "
            "columns to unique texts.",
        ) from error
    return frame


def _of_dataset(data: Any) -> Any:
    """Return an xarray.Dataset as a data frame: its variables must share one dimension."""
    if len(data.dims) != 1:
        raise InputError(
            "not-a-table",
            "",
            f"The Dataset has {len(data.dims)} dimensions ({', '.join(map(str, data.dims))}): pass "
            "one whose variables have the samples as their only dimension, or a DataArray.",
        )
    return data.to_dataframe()[list(data.data_vars)]


def add_frame(encoder: Encoder, frame: nw.DataFrame[Any]) -> None:
    """Add all rows of a data frame to an encoder."""
    # Slicing a frame has a cost per column, so that many short chunks would be slow.
    step = max(LANE, chunk_rows(frame.shape[1] * 8))
    dtypes = set(frame.schema.dtypes())
    uniform = dtypes.pop() if len(dtypes) == 1 and all(map(_is_number, dtypes)) else None
    for row in range(0, len(frame), step):
        encoder.add(_as_chunk(frame[row : row + step], uniform))


def read_frame(
    frame: nw.DataFrame[Any],
    reading: Reading,
    names: Sequence[str] | None = None,
) -> Samples:
    """Pack the columns of a data frame that a reading selects.

    Parameters
    ----------
    reading : Reading
        Weights may be a column of the frame, which then is not a variable.
    """
    names = list(map(str, frame.columns)) if names is None else list(names)
    wanted = wanted_columns(names, reading)
    picked = frame if wanted.are_all(len(names)) else frame[:, wanted.columns]
    encoder = Encoder(
        wanted.names,
        len(frame),
        categories=declared_categories(picked),
        reading=wanted.reading,
        is_table=True,
    )
    add_frame(encoder, picked)
    if wanted.weights is not None:
        encoder.weigh(frame[:, wanted.weights].to_list())
    return encoder.finish()


def read_foreign(data: Any, reading: Reading) -> Samples:
    """Pack a pandas frame from a program that stores whole numbers as 1.0, and text as factors.

    In such a factor the order is often the alphabetical one, so the texts of a recognised scale are
    ordered as in a text file.
    """
    for name in data.columns:
        column = data[name]
        seen = column.dropna() if column.dtype.kind == "f" else None
        if seen is not None and ((seen % 1 == 0) & (seen.abs() < MOST_WHOLE)).all():
            data[name] = column.astype("Int64")
        elif hasattr(column.dtype, "categories") and not column.dtype.ordered:
            used = column.cat.remove_unused_categories().cat.categories
            scale = recognised_scale(used.tolist())
            if scale is not None:
                data[name] = column.cat.set_categories(scale, ordered=True)
    frame = as_frame(data)
    assert frame is not None
    return read_frame(frame, reading)


def declared_categories(frame: nw.DataFrame[Any]) -> dict[int, Category]:
    """Return the categorical columns, with the order of their categories and whether it is ordinal.

    pandas categoricals, enums and ordered Arrow dictionaries keep their order. polars categoricals
    and other Arrow dictionaries list values in order of appearance, so they get the sort order, as
    in polars.
    """
    import narwhals as nw

    found: dict[int, Category] = {}
    if nw.Categorical not in (dtypes := frame.schema.dtypes()) and nw.Enum not in dtypes:
        return found
    for j, column in enumerate(frame.iter_columns()):
        if isinstance(column.dtype, nw.Enum):
            found[j] = Category(tuple(column.dtype.categories), True)
        elif isinstance(column.dtype, nw.Categorical):
            native: Any = column.to_native()
            if frame.implementation.is_pyarrow() and native.type.ordered:
                dictionary = native.chunk(0).dictionary.to_pylist() if native.num_chunks else ()
                found[j] = Category(dictionary, True)
            elif frame.implementation.is_pandas_like() and hasattr(native.dtype, "categories"):
                found[j] = Category(native.dtype.categories.tolist())
            else:
                found[j] = Category()
    return found


def _as_chunk(frame: nw.DataFrame[Any], uniform: Any) -> NDArray[Any] | Sequence[Column]:
    """Return rows as an array if all columns are numbers of one dtype, else as columns."""
    if uniform is not None:
        array = frame.to_numpy()
        if _has_kind(array, uniform):
            return array
    return [_as_column(column) for column in frame.iter_columns()]


def _as_column(column: nw.Series[Any]) -> Column:
    if _is_number(column.dtype):
        array = column.to_numpy()
        if _has_kind(array, column.dtype):
            return array
    try:
        return column.to_list()
    except (ValueError, OverflowError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            "not-a-level",
            str(column.name),
            f"Column {str(column.name)!r} has values that Python cannot represent ({reason}): "
            "convert them to text or numbers.",
        ) from error


def _has_kind(array: NDArray[Any], dtype: Any) -> bool:
    """Return whether an array has the same kind of numbers as a column.

    Integers with missing values are converted to floats, and their levels would show decimals.
    """
    return array.dtype.kind in (
        NUMBER_KINDS.replace("f", "") if dtype.is_integer() else NUMBER_KINDS
    )


def _is_number(dtype: Any) -> bool:
    import narwhals as nw

    has_128_bits = dtype in (nw.Int128, nw.UInt128)  # not supported by NumPy
    return bool(dtype.is_numeric() or dtype == nw.Boolean) and not has_128_bits
