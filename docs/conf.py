"""Sphinx configuration of the documentation that `make docs` builds."""

from __future__ import annotations

project = "eksops.karpenter"
copyright = "Contributors to the eksops.karpenter collection"  # the name that Sphinx reads
title = html_short_title = project
extensions = ["sphinx_antsibull_ext"]
highlight_language = "YAML+Jinja"
pygments_style = "ansible"
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px"}
html_show_sphinx = False
default_role = "any"
# Pages of other collections are elsewhere and nothing here asks the network; references into this collection are
# checked before by antsibull-docs lint-collection-docs.
suppress_warnings = ["ref.ref", "ref.any"]
