"""Starting Spark, or saying what is missing."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import warnings
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from geopriv.errors import Unavailable
from geopriv.reports.engines.spark.told import told
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HOW = (
    "install one (Debian and Ubuntu: apt install openjdk-17-jre-headless; macOS: brew install openjdk@17; conda "
    "install openjdk=17), or set JAVA_HOME to its folder."
)
_JAVA = f"Spark needs Java 17 or newer, and there is none: {_HOW}"
_MASTER = re.compile(r"local(\[(\d+|\*)(, *\d+)?\])?|local-cluster\[[\d, ]+\]|yarn|(spark|k8s)://.+")


def session(master: str | None = None, settings: dict[str, str] | None = None) -> SparkSession:
    """A session of Spark, the one that runs already if there is one.

    Args:
        master: where it runs, such as "local[2]" or "spark://host:7077"; by default what Spark's own settings say.
        settings: of Spark.

    Raises:
        Unavailable: where PySpark or Java is missing, with what to install.
        InvalidParameter: for a master that there cannot be, or that cannot be reached.
    """
    if master is not None and not _MASTER.fullmatch(master):
        raise invalid("session", "master", "local[4], spark://host:7077, yarn or k8s://\u2026", master)
    require_java()
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    # workers of this machine run this Python, which has geopriv
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("geopriv").config("spark.sql.execution.arrow.maxRecordsPerBatch", "32768")
    for name, value in ({"spark.master": master} if master else {}).items() | (settings or {}).items():
        builder = builder.config(name, value)
    with told(), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about pandas, which is not used here
        try:
            return builder.getOrCreate()
        except PySparkRuntimeError:
            pass
    raise Unavailable(f"Spark did not start; what Java said stands above. If it is older than Java 17, {_HOW}")


def silent_session(master: str | None, checkpoint: str | None = None) -> SparkSession:
    """A session of Spark that logs nothing, since its errors quote rows; what they were about is told in a sentence."""
    warehouse = Path("spark-warehouse").absolute()
    if not warehouse.exists():
        atexit.register(_remove_empty, warehouse)  # Spark makes it for tables that nobody has asked for
    started = session(master, {"spark.log.level": "OFF"})
    if checkpoint is not None:
        with told():
            started.sparkContext.setCheckpointDir(checkpoint)
    return started


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def require_java() -> None:
    """Refuse to go on without PySpark and Java.

    Raises:
        Unavailable: with what to install.
    """
    if find_spec("pyspark") is None or find_spec("pandas") is None:  # PySpark asks for pandas where it passes Arrow
        raise Unavailable("Spark is not installed: pip install 'geopriv[spark]'.")
    home = os.environ.get("JAVA_HOME")
    if home and not (Path(home) / "bin" / "java").is_file():
        raise Unavailable(f"JAVA_HOME is {home!r}, and there is no bin/java in it. {_JAVA}")
    if not home and shutil.which("java") is None:
        raise Unavailable(_JAVA)
