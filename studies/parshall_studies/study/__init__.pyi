from .bench import Rows as Rows, RunSeries as RunSeries, Workbench as Workbench
from .charts import (
    Course as Course,
    Made as Made,
    Means as Means,
    Place as Place,
    Shown as Shown,
    Spread as Spread,
    columns as columns,
    drawing as drawing,
    each as each,
    means_table as means_table,
)
from .claims import (
    Claim as Claim,
    Judged as Judged,
    Judgements as Judgements,
    Topic as Topic,
    beyond as beyond,
)
from .data import Data as Data
from .figures import (
    UNTITLED as UNTITLED,
    Axis as Axis,
    Figure as Figure,
    Look as Look,
    Mark as Mark,
    Panel as Panel,
    Picker as Picker,
    Trace as Trace,
    drawn as drawn,
    looks as looks,
    of_intervals as of_intervals,
    rows_axis as rows_axis,
)
from .grades import Grade as Grade
from .maps import (
    Dimension as Dimension,
    GridMap as GridMap,
    GridMaps as GridMaps,
    View as View,
    map_figure as map_figure,
)
from .markdown import markdown as markdown
from .numbers import NumbersOf as NumbersOf
from .printed import Printed as Printed, numbers_in as numbers_in
from .quantity import (
    Expression as Expression,
    Fixed as Fixed,
    Given as Given,
    Quantity as Quantity,
    Relation as Relation,
    falls as falls,
    quantity as quantity,
    rises as rises,
)
from .readings import ByReading as ByReading
from .reproduction import Reproduction as Reproduction, reproduce as reproduce
from .results import Measures as Measures, Results as Results, tidy as tidy
from .rules import (
    FEWEST_SEEDS as FEWEST_SEEDS,
    Computed as Computed,
    Exactly as Exactly,
    Holds as Holds,
    MoreThanNoise as MoreThanNoise,
    Never as Never,
    Observed as Observed,
    OneOfRuns as OneOfRuns,
    PrintedNumber as PrintedNumber,
    Rule as Rule,
    Verdict as Verdict,
    alike as alike,
    within as within,
)
from .statements import topics_of as topics_of
from .study import (
    ANSWERS as ANSWERS,
    Content as Content,
    Document as Document,
    Quick as Quick,
    Study as Study,
    find_study as find_study,
    list_studies as list_studies,
    page_of as page_of,
    try_studies as try_studies,
)
from .tables import (
    Column as Column,
    Number as Number,
    PrintedTable as PrintedTable,
    Row as Row,
    Table as Table,
    printed_table as printed_table,
)
from .values import SEED as SEED, Span as Span, Values as Values
