"""Mechanisms that can be written down and read again."""

from __future__ import annotations

from typing import Any, Self

from geopriv.errors import InvalidDesign


class Documented:
    """A mechanism of public numbers alone, whose promise is verified exactly when its document is read."""

    def to_document(self) -> dict[str, Any]:
        """What JSON can hold: a device needs nothing else to verify the promise and to report."""
        from geopriv.surveys.documents import to_document

        return to_document(self)

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """The mechanism of a document, verified in exact arithmetic.

        Raises:
            InvalidDesign: for a malformed document, and for a mechanism that does not keep what it promises.
        """
        from geopriv.surveys.documents import from_document

        thing = from_document(document)
        if not isinstance(thing, cls):
            raise InvalidDesign(f"The document must be of a {cls.__name__}. Got {type(thing).__name__} instead.")
        return thing
