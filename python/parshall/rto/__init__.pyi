from .comparison import RtoComparison as RtoComparison, compare as compare
from .filters import filters as filters
