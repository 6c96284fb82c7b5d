"""The table by which the share's estimator judges flows: drawn scenarios, their runs, and what is learned of
them.

``prior`` has the scenarios, ``rhythms`` and ``replays`` the deaf flows with a responsive one's rhythm,
``runs`` what is kept of each run, ``learning`` makes trees and widths of it, ``table`` writes them down,
``command`` is all of it in a row. ``aside`` has scenarios of other kinds, and ``judging`` judges on them.
"""
