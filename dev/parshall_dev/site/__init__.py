"""The site that ``make docs`` builds from docs/: its generated reference, its checks, and its screenshots.

``names`` lists the public names, ``reference`` writes a page for each, with those of ``examples``, ``tables``
the pages of commands and columns, ``fields`` shows the fields of scenario classes. ``repository`` serves the
files that pages link to, ``themes`` gives executed figures dark colours, ``llms`` writes llms.txt, ``check``
reads the pages that came out, ``shell`` runs commands inside notebooks, and ``look`` opens every page in a
browser.
"""
