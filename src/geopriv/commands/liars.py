"""How many reports may be made up, as it is written on a command line."""

from __future__ import annotations

from geopriv.spaces.checks import invalid


def made_up_option(robust: bool, liars: str | None) -> float | None:
    """What `--robust` and `--liars` ask for; None where neither is given.

    Raises:
        InvalidParameter: for `--liars` without `--robust`, and for what is neither a share nor a whole number.
    """
    from geopriv.answers.robust import ONE_IN

    if not robust:
        if liars is not None:
            raise invalid("estimate", "liars", "given with --robust", liars)
        return None
    return ONE_IN if liars is None else read_liars("estimate", liars)


def read_liars(owner: str, text: str) -> float:
    """A share below 1 ("2%", "0.02") or a whole number of reports ("500").

    Raises:
        InvalidParameter: for neither.

    >>> read_liars("estimate", "2%"), read_liars("estimate", "0.005"), read_liars("estimate", "1,500")
    (0.02, 0.005, 1500.0)
    """
    try:
        written = text.strip().replace(",", "")
        found = float(written.removesuffix("%")) / (100.0 if written.endswith("%") else 1.0)
    except ValueError:
        found = 0.0
    share = written.endswith("%") or "." in written
    if not found > 0 or (share and not found < 1) or not (share or found == int(found)):
        raise invalid(owner, "liars", "a share of the reports ('2%') or a whole number of them ('500')", text)
    return found
