"""Sphinx's settings for the site; ``make docs`` builds it into out/docs/html."""

from __future__ import annotations

import os

import parshall
from parshall_dev.checkout import ROOT
from parshall_dev.site import extension

project = "Parshall"
author = "The authors of Parshall"
version = release = parshall.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "parshall_dev.site.extension"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Parshall"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_show_sphinx = False
html_show_copyright = False
templates_path: list[str] = []

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
highlight_language = "none"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
toc_object_entries = False

# Notebooks run again only when their code, the engine or the Python package has changed.
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "out" / "docs" / "executed" / extension.state())
nb_execution_in_temp = True
nb_execution_timeout = 180
nb_execution_raise_on_error = True
nb_merge_streams = True
os.environ["PARSHALL_CACHE"] = "kept"  # below the notebook's own folder, so that it starts with nothing kept
os.environ["IPYTHONDIR"] = str(ROOT / "docs" / "_ipython")
os.environ["MPLCONFIGDIR"] = str(ROOT / "out" / "docs" / "matplotlib")
