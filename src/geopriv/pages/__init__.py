"""What people read: report.html, text in a terminal, what notebooks show."""

from geopriv.pages.notebook import notebook_html
from geopriv.pages.page import page_html
from geopriv.pages.text import text_of

__all__ = ["notebook_html", "page_html", "text_of"]
