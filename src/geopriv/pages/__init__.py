"""report.html: what people read."""

from geopriv.pages.page import page_html, write_page

__all__ = ["page_html", "write_page"]
