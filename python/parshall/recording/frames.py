"""Arrow tables as data frames of pandas or Polars, which need not be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall.errors import ParshallError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["to_pandas", "to_polars"]


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """A pandas data frame; names become categories. Raises ParshallError without pandas."""
    try:
        import pandas as pd  # noqa: F401 - pyarrow needs it
    except ImportError:
        raise _not_installed("pandas") from None
    frame: pd.DataFrame = table.to_pandas()
    return frame


def to_polars(table: pa.Table) -> pl.DataFrame:
    """A Polars data frame; names become categories. Raises ParshallError without Polars."""
    try:
        import polars as pl
    except ImportError:
        raise _not_installed("polars") from None
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _not_installed(package: str) -> ParshallError:
    return ParshallError(f"{package} is not installed; pip install {package}")
