"""What the notebooks of the site run with: figures as SVG, which stay sharp at every width."""

c = get_config()  # noqa: F821
c.InlineBackend.figure_formats = {"svg"}
c.IPKernelApp.log_level = 40
c.HistoryManager.enabled = False
