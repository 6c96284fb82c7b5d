"""Studies of documents, one folder each, which offers its own as ``STUDY``.

:mod:`parshall_studies.study` has what a study is made of.
"""
