"""Studies, one folder a document. A study's package offers it as ``STUDY``; see :mod:`parshall.study`."""
