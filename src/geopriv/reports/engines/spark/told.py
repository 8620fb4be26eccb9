"""What went wrong on Spark, in one sentence that quotes no row."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from geopriv.errors import GeoprivError, InvalidParameter

EXISTS = (
    "the output exists already. Another run gives every person a second report, and whoever sees both learns twice as "
    "much. For other people name another output; --overwrite (overwrite=True) replaces this one"
)
# errors of Java whose words are about paths, hosts and classes
_HARMLESS = (
    "java.io.FileNotFoundException",
    "java.lang.ClassNotFoundException",
    "java.net.ConnectException",
    "java.net.UnknownHostException",
    "org.apache.hadoop.fs.UnsupportedFileSystemException",
    "org.apache.hadoop.security.AccessControlException",
)
# the same of Python, in a worker
_WORKER = re.compile(r"^(ModuleNotFoundError: No module named .*|MemoryError|OSError: \[Errno \d+\] [^:]*)", re.M)


@contextmanager
def told() -> Iterator[None]:
    """What Spark says in one sentence: of its own words only those about names, since others may quote rows.

    Raises:
        InvalidParameter: with that sentence.
    """
    from pyspark.errors import AnalysisException, PySparkException

    # PySpark logs errors before it raises them, rows and all, and Py4J an interruption with its traceback
    logged, problem = logging.root.manager.disable, ""
    logging.disable()
    try:
        yield
    except GeoprivError:
        raise
    except AnalysisException as error:
        problem = EXISTS if error.getCondition() == "PATH_ALREADY_EXISTS" else str(error).splitlines()[0].rstrip(".")
    except PySparkException as error:
        problem = _why(error, getattr(error, "_origin", None))
    except Exception as error:
        # errors of Java, which quote what they like
        if not type(error).__module__.startswith("py4j"):
            raise
        problem = _why(error, getattr(error, "java_exception", None))
    finally:
        logging.disable(logged)
    if problem:
        raise InvalidParameter(f"Spark cannot do it: {problem}.") from None


def _why(error: Exception, java: Any) -> str:
    """The kind of an error and of the one behind it."""
    if "No space left on device" in str(error):
        return "there is no space left on a disk that it writes to"
    if found := _WORKER.search(str(error)):
        hint = "; geopriv must be installed where the workers' Python is" if "No module" in found[0] else ""
        return f"a worker stopped with {found[0].rstrip('.')}{hint}"
    kinds = []
    while java is not None:
        kind = java.getClass().getName()
        if kind in _HARMLESS:
            return f"{kind.rsplit('.')[-1]}, {str(java.getMessage()).splitlines()[0].rstrip('.')}"
        if str(java.getMessage()).startswith("Mkdirs failed"):
            return "it may not make the folder that it is to write to"
        condition = java.getCondition() if hasattr(java, "getCondition") and kind.startswith("org.apache.spark") else ""
        if str(condition).startswith("FAILED_READ_FILE"):
            return "a file is damaged or not what its name says; folders must hold Parquet"
        kinds.append(f"{kind.rsplit('.')[-1]} {condition or ''}".strip())
        java = java.getCause()
    return f"it stopped with {', from '.join(dict.fromkeys(kinds)) or type(error).__name__}"
