"""Zhao, "Modeling and Estimation Techniques for Understanding Heterogeneous Traffic Behavior", Chapter II:
re-run over many seeds.

``networks`` and ``cases`` say what is run, ``document`` what is printed and assumed, ``contestants`` what is
compared, ``traces``, ``tuning``, ``judging``, ``phase`` and ``alarm`` what is computed, ``claims``,
``pages``, ``figures`` and ``findings`` what is made of it.
"""

from parshall.studies.nonresponsive.study import NonresponsiveStudy

__all__ = ["STUDY"]

STUDY = NonresponsiveStudy()
