"""A query of Spark's is one statement that reads, as Spark's own parser sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geopriv.errors import InvalidParameter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ACTING = {
    '.ScriptTransformation"': "TRANSFORM \u2026 USING, which runs a program",
    '.CallMethodViaReflection"': "reflect or java_method, which run any method of Java",
}


def rows_of(session: SparkSession, query: str) -> DataFrame:
    """The rows of a query, of which nothing has been read yet.

    Spark runs commands (CREATE, INSERT, SET, ADD JAR) as soon as it is given them. So the text is parsed first, by the
    rule of its grammar that knows queries only. A query can act too, by running a program or a method of Java for its
    rows: those are looked for in its plan, views and subqueries included, before a row is asked for.

    Raises:
        InvalidParameter: for anything but a query.
        PySparkException: where Spark cannot run it.
    """
    from pyspark.errors import ParseException

    text = query.strip().rstrip(";").rstrip()
    parser: Any = session._jsparkSession.sessionState().sqlParser()
    try:
        parser.parseQuery(text)
        is_query = True
    except ParseException:
        is_query = False
    if not is_query:
        raise InvalidParameter(
            "The query must be one statement that reads (SELECT, WITH, FROM or VALUES), in Spark's grammar, and "
            "nothing else: no second one behind it, and none that writes, sets or loads something."
        )
    found = session.sql(text)
    plan: Any = found._jdf.queryExecution().analyzed()
    told = str(plan.toJSON())
    for name, words in _ACTING.items():
        if name in told:
            raise InvalidParameter(f"The query may only read: it must do without {words}.")
    return found
