"""What people read: words, text, notebook, report.html."""

from geopriv.pages.notebook import notebook_html
from geopriv.pages.page import page_html
from geopriv.pages.plans import plan_text
from geopriv.pages.plots import picture_of, plot_of
from geopriv.pages.text import answer_text, text_of

__all__ = ["answer_text", "notebook_html", "page_html", "picture_of", "plan_text", "plot_of", "text_of"]
