"""Costs of wrong predictions to connections that share a link (He, Gao, Hou and Park 2002, section IV).

``law`` has the right closed forms and ``draws`` a Monte-Carlo run of the model that checks them. ``printed``
and ``formulas`` are what the document prints, ``verdicts`` whether that holds, ``figure`` its Figure 8;
``compare`` and ``text`` make the section of the page.
"""
