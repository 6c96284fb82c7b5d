"""The measures, asked for one thing at a time: one value a seed, in the order of the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.traces import Reals
    from parshall.study import Measures

__all__ = ["Results", "rows_where"]

_Blocks: TypeAlias = "dict[tuple[str, ...], dict[str, Reals]]"


def rows_where(table: pa.Table, **values: Any) -> pa.Table:
    """The rows in which each column has that value."""
    mask = pc.field(next(iter(values))) == next(iter(values.values()))
    for name, value in values.items():
        mask = mask & (pc.field(name) == value)
    return table.filter(mask)


@dataclass(frozen=True)
class Results:
    """The tables of :meth:`NonresponsiveStudy.measure`."""

    measures: Measures

    @cached_property
    def _scores(self) -> _Blocks:
        return _indexed(self.measures["scores"], ("case", "estimator", "settings"))

    @cached_property
    def _intervals(self) -> _Blocks:
        return _indexed(self.measures["intervals"], ("case",))

    @cached_property
    def cases(self) -> list[str]:
        """Every case, in the order of the study."""
        return list(dict.fromkeys(case for case, *_ in self._scores))

    @cached_property
    def entries(self) -> list[tuple[str, str]]:
        """Every contestant with every kind of settings that it has in all cases, in the order of the
        study.
        """
        found = dict.fromkeys((key[1], key[2]) for key in self._scores)
        return [entry for entry in found if entry[1] != "fitted"]

    @cached_property
    def seeds(self) -> list[int]:
        """Ascending."""
        return sorted({int(seed) for seed in self.measures["scores"]["seed"].to_pylist()})

    def score(self, case: str, estimator: str, settings: str, measure: str = "mse") -> Reals:
        """One measure of one contestant in one case."""
        return self._scores[case, estimator, settings][measure]

    def mean_error(self, cases: Sequence[str], estimator: str, settings: str) -> Reals:
        """The mean square error averaged over some cases."""
        found: Reals = np.mean([self.score(case, estimator, settings) for case in cases], axis=0)
        return found

    def series(self, case: str, column: str) -> Reals:
        """A column of the intervals of a case, one row a seed."""
        found: Reals = self._intervals[(case,)][column].reshape(len(self.seeds), -1)
        return found

    def times(self, case: str) -> Reals:
        """Seconds at the ends of the intervals of a case."""
        found: Reals = self.series(case, "time")[0]
        return found

    @cached_property
    def drawn(self) -> list[str]:
        """Columns of the intervals that are estimates."""
        fixed = {"case", "seed", "time", "share"}
        return [name for name in self.measures["intervals"].column_names if name not in fixed]

    def transfer(self, home: str, away: str) -> Reals:
        """Error in ``away`` of settings tuned in ``home``."""
        rows = rows_where(self.measures["transfer"], trained_on=home, case=away)
        found: Reals = rows["mse"].to_numpy()
        return found

    def point(self, sweep: str, queue: str, x: float, measure: str = "tcp_share") -> Reals:
        """A point of the table of queues."""
        rows = rows_where(self.measures["table_3"], sweep=sweep, queue=queue, x=x)
        found: Reals = rows[measure].to_numpy()
        return found

    def link_drop_rate(self, case: str, link: int) -> Reals:
        """In %."""
        rows = rows_where(self.measures["links"], case=case, link=link)
        found: Reals = rows["drop_rate"].to_numpy()
        return found

    def interval_error(self, half: int, samples: int, estimator: str, settings: str) -> Reals:
        """Mean square error in estimation intervals of so many samples, with ``half`` seconds on and off."""
        rows = rows_where(
            self.measures["shorter"], half=half, samples=samples, estimator=estimator, settings=settings
        )
        found: Reals = rows["mse"].to_numpy()
        return found

    def whole_numbers(self, case: str, settings: str, measure: str = "relative") -> Reals:
        """How far the form in whole numbers is from the floating one."""
        found: Reals = self._whole_numbers[case, settings][measure]
        return found

    @cached_property
    def _whole_numbers(self) -> _Blocks:
        return _indexed(self.measures["whole_numbers"], ("case", "settings"))

    def dithered(self, case: str, measure: str) -> tuple[Reals, Reals]:
        """A measure of the port of a case, without and with the dither."""
        columns = self._dither_costs[(case,)]
        return columns[f"{measure}_without"], columns[f"{measure}_with"]

    def dither_cost(self, case: str, measure: str) -> Reals:
        """What the dither changes of it, in %."""
        without, with_it = self.dithered(case, measure)
        found: Reals = 100 * (with_it / without - 1)
        return found

    @cached_property
    def _dither_costs(self) -> _Blocks:
        return _indexed(self.measures["dither_costs"], ("case",))

    def area(self, case: str, estimator: str, rule: str) -> Reals:
        """Area under the ROC curve of an alarm."""
        rows = rows_where(self.measures["areas"], case=case, estimator=estimator, rule=rule)
        found: Reals = rows["area"].to_numpy()
        return found

    @cached_property
    def alarmed(self) -> list[str]:
        """Contestants whose estimates were made into alarms."""
        return list(dict.fromkeys(self.measures["areas"]["estimator"].to_pylist()))


def _indexed(table: pa.Table, keys: tuple[str, ...]) -> _Blocks:
    """Blocks of rows with equal keys, which follow one another, by their keys."""
    columns = [np.array(table[name].to_pylist(), dtype=object) for name in keys]
    numbers = {
        name: table[name].to_numpy()
        for name in table.column_names
        if pa.types.is_floating(table.schema.field(name).type)
        or pa.types.is_integer(table.schema.field(name).type)
    }
    change = np.zeros(table.num_rows, bool)
    for column in columns:
        change[1:] |= column[1:] != column[:-1]
    edges = [0, *np.flatnonzero(change).tolist(), table.num_rows]
    return {
        tuple(column[begin] for column in columns): {
            name: values[begin:end] for name, values in numbers.items()
        }
        for begin, end in pairwise(edges)
    }
