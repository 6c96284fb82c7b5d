from .design import Grid as Grid, LatinHypercube as LatinHypercube, Listed as Listed, Sobol as Sobol
from .file import load_sweep as load_sweep
from .parameter import Parameter as Parameter
from .points import Point as Point
from .result import Failure as Failure, SweepResult as SweepResult
from .stopping import StopRule as StopRule
from .sweep import EngineExecutor as EngineExecutor, Sweep as Sweep
