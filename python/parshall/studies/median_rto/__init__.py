"""Chan and Leis, "Median Filtering Simulation of Bursty Traffic": re-run over many seeds.

``scenarios`` says what is run and assumed, ``document`` what is printed, ``measures`` and ``costs`` what is
computed, ``claims``, ``pages``, ``figures`` and ``findings`` what is made of it.
"""

from parshall.studies.median_rto.study import MedianRtoStudy

__all__ = ["STUDY"]

STUDY = MedianRtoStudy()
