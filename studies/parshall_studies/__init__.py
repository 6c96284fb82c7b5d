"""Studies of documents, one folder each, which offers it as ``STUDY``; :mod:`parshall_studies.study` is what a
study is made of.
"""
