"""Linux's TCP in regimes that steady flows never visit, beside the profile ``linux``: what a folder holds
(``reading``), the same as a scenario (``network``), how near ours comes (``judging``), and a page about it
(``page``).
"""
