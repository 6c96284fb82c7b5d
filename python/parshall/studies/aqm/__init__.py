"""Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior", Chapter IV:
queue management over capacity, buffer and mix of traffic, re-run over many seeds, and what is asked today.

``grid`` says what is varied, ``networks`` what is run, ``document`` what is printed and assumed, ``measures``
what is computed of a run, ``results`` and ``ns2`` how that is asked for, ``rules``, ``claims`` and ``beyond``
what is claimed of it, ``pages``, ``figures``, ``figures_beyond``, ``maps`` and ``findings`` what is shown.
"""

from parshall.studies.aqm.study import AqmStudy

__all__ = ["STUDY"]

STUDY = AqmStudy()
