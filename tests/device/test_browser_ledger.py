"""The browser's device in a real Chromium: verified, asked once, spent before sent, and sent nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.surveys.design import Design
from tests.browser import Browser, Tab
from tests.designs import grouped_design, table_design

ROOT = Path(__file__).parents[2]
NAMES = count()
OPEN = """
const client = (design, policy, ledger) => gp.Client.open(
  new TextEncoder().encode(design), {unit: null, mostEpsilon: 1, total: 1, trust: true, after: 0, ...policy}, ledger);
const said = (promise) => promise.then(
  (line) => JSON.parse(line), (error) => ({error: error.name, words: error.message}));
const rows = (ledger) => new Promise((go) => {
  indexedDB.open(ledger).onsuccess = ({target: {result}}) => {
    const asked = result.transaction("spent").objectStore("spent").getAll();
    asked.onsuccess = () => { result.close(); go(asked.result); };
  };
});
"""


@contextmanager
def device(browser: Browser, site: str) -> Iterator[Tab]:
    with browser.tab(site) as tab:
        tab.run("import('/clients/js/src/index.js').then((found) => { window.gp = found; })")
        yield tab


@pytest.fixture(scope="module")
def tab(browser: Browser, site: str) -> Iterator[Tab]:
    with device(browser, site) as found:
        yield found


@pytest.fixture
def ledger() -> str:
    return f"ledger{next(NAMES)}"


def run(tab: Tab, body: str, **names: Any) -> Any:
    """What a body of JavaScript returns, with these constants."""
    given = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in names.items())
    return tab.run(f"(async () => {{ {OPEN}{given}{body} }})()")


def text(design: Design) -> str:
    return design.to_bytes().decode()


FIRST = text(table_design())
SECOND = text(table_design(survey="another"))


def test_the_published_vectors_hold_in_chromium(tab: Tab) -> None:
    accepted, compared, wrong = run(
        tab,
        """
        const read = async (name) => new Uint8Array(await (await fetch(`/docs/vectors/${name}`)).arrayBuffer());
        const { cases } = JSON.parse(new TextDecoder().decode(await read("client.json")));
        const designs = new Map();
        let compared = 0, wrong = [];
        for (const one of cases) {
          const made = async () => gp.verify(await read(one.design)).catch(() => null);
          if (!designs.has(one.design)) designs.set(one.design, await made());
          const design = designs.get(one.design);
          if (design === null) continue;
          const bytes = Uint8Array.from(one.bytes.match(/../g), (pair) => parseInt(pair, 16));
          let used = 0;
          const line = JSON.parse(design.draw(one.value, (n) => bytes.slice(used, (used += n)), one.told));
          const [mine, theirs] = [[line.report, line.mechanism, line.id, line.group, used],
            [one.report, one.mechanism, one.id, one.group, one.used]].map((each) => JSON.stringify(each));
          compared += 1;
          if (mine !== theirs) wrong.push(one.design);
        }
        return [[...designs].filter(([, found]) => found).map(([name]) => name), compared, wrong];
        """,
    )
    cases = json.loads((ROOT / "docs" / "vectors" / "client.json").read_text())["cases"]
    assert wrong == []
    assert compared == len(cases) > 100
    assert set(accepted) == {one["design"] for one in cases}


def test_a_person_is_asked_once_and_says_the_same_whatever_the_value(tab: Tab, ledger: str) -> None:
    first, again, later, kept = run(
        tab,
        """
        const one = await client(design, {}, ledger);
        const lines = [await one.report(0.25), await one.report(-3)];
        one.close();
        const other = await client(design, {}, ledger);
        lines.push(await other.report(3));
        return [...lines, await rows(ledger)];
        """,
        design=FIRST,
        ledger=ledger,
    )
    assert first == again == later
    row = json.loads(FIRST)
    assert kept == [
        {"person": "me", "survey": "survey", "design": row["hash"], "epsilon": 1, "unit": None, "report": first}
    ]


def test_it_is_spent_before_it_is_handed_out(tab: Tab, ledger: str) -> None:
    """The row is there while the line is still held back; and what cannot be written is not handed out."""
    early, done, line = run(
        tab,
        """
        const one = await client(design, {after: 0.4}, ledger);
        let done = false;
        const line = one.report(0.25).finally(() => { done = true; });
        let early = [];
        while (!done && !early.length) early = await rows(ledger);
        return [early, done, await line];
        """,
        design=FIRST,
        ledger=ledger,
    )
    assert not done
    assert [row["report"] for row in early] == [line]
    failure, left = run(
        tab,
        """
        const one = await client(design, {}, ledger);
        const add = IDBObjectStore.prototype.add;
        IDBObjectStore.prototype.add = function (row) { add.call(this, row); this.transaction.abort(); };
        const failure = await said(one.report(0.25)).finally(() => { IDBObjectStore.prototype.add = add; });
        return [failure, await rows(ledger)];
        """,
        design=FIRST,
        ledger=f"{ledger}-broken",
    )
    assert failure["words"] == "The ledger could not be written: nothing is reported."
    assert left == []


def test_two_tabs_at_once_give_one_report_a_person(browser: Browser, site: str, tab: Tab, ledger: str) -> None:
    begin = """
        const one = await client(design, {}, ledger);
        window.lines = new Promise((go) => setTimeout(go, at - Date.now())).then(() => Promise.all(
          Array.from({length: 30}, (_, k) => one.report(value, {person: `person ${k}`}))));
        return null;
        """
    at = tab.run("Date.now()") + 400
    with device(browser, site) as other:
        for each, value in ((tab, -3), (other, 3)):
            run(each, begin, design=FIRST, ledger=ledger, at=at, value=value)
        mine, theirs = tab.run("lines"), other.run("lines")
    assert mine == theirs
    assert len(set(mine)) == 30


def test_all_surveys_together_cost_at_most_the_total(tab: Tab, ledger: str) -> None:
    found = run(
        tab,
        """
        const found = [];
        for (const total of [1, 1.9999999, 2]) {
          const clients = await Promise.all([first, second].map((design) => client(design, {total}, ledger + total)));
          const lines = [await said(clients[0].report(1)), await said(clients[1].report(1))];
          found.push([...lines, (await rows(ledger + total)).length]);
        }
        return found;
        """,
        first=FIRST,
        second=SECOND,
        ledger=ledger,
    )
    assert [(second.get("error"), kept) for _, second, kept in found] == [
        ("BudgetExhausted", 1),
        ("BudgetExhausted", 1),
        (None, 2),
    ]


def test_a_person_answers_so_many_surveys_and_no_more(tab: Tab, ledger: str) -> None:
    found = run(
        tab,
        """
        const allowed = {total: 9, mostSurveys: 1};
        const clients = await Promise.all([first, second].map((design) => client(design, allowed, ledger)));
        const person = "another";
        return Promise.all([clients[0].report(1), clients[1].report(1), clients[0].report(1),
          clients[1].report(1, {person})].map(said));
        """,
        first=FIRST,
        second=SECOND,
        ledger=ledger,
    )
    assert [one.get("error") for one in found] == [None, "BudgetExhausted", None, None]
    assert found[1]["words"] == "A person may answer at most 1 surveys."
    assert found[0] == found[2]


@pytest.mark.parametrize(
    ("takes", "after"), [(0.0, 0.5), (0.1, 0.5), (0.3, 2), (7, 32), (16, "A draw of the design must take at most 15")]
)
def test_where_draws_take_long_all_reports_wait_longer(tab: Tab, ledger: str, takes: float, after: Any) -> None:
    """By a clock on which each look takes so many seconds; it is looked at before there is a value."""
    found = run(
        tab,
        """
        const [honest, began] = [performance.now, performance.now()];
        let looks = 0;
        performance.now = () => began + 1000 * takes * looks++;
        const one = await client(design, {after: 0.5}, ledger).catch((error) => ({after: error.message}));
        performance.now = honest;
        return one.after;
        """,
        design=FIRST,
        ledger=ledger,
        takes=takes,
    )
    assert found == after or found.startswith(after)


def test_another_design_of_the_same_survey_is_not_answered(tab: Tab, ledger: str) -> None:
    other = text(table_design(gp.Threshold(1.0, 2.0)))
    found, another = run(
        tab,
        """
        await (await client(first, {total: 9}, ledger)).report(1);
        const again = await client(second, {total: 9}, ledger);
        return [await said(again.report(1)), await said(again.report(1, {person: "another"}))];
        """,
        first=FIRST,
        second=other,
        ledger=ledger,
    )
    assert found["error"] == "BudgetExhausted"
    assert "another design" in found["words"]
    assert another["design"] == json.loads(other)["hash"]


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        ({"mostEpsilon": 0.99}, "Refused"),
        ({"unit": "USD"}, "Refused"),
        ({"degrees": True}, "Refused"),
        ({"trust": False, "hash": "0" * 64}, "InvalidDesign"),
        ({"trust": False}, "InvalidParameter"),
        ({"total": 0}, "InvalidParameter"),
        ({"mostSurveys": 0}, "InvalidParameter"),
        ({"mostSurveys": 1.5}, "InvalidParameter"),
    ],
)
def test_a_policy_refuses_before_anything_is_reported(tab: Tab, ledger: str, policy: dict[str, Any], name: str) -> None:
    found = run(tab, "return said(client(design, policy, ledger))", design=FIRST, ledger=ledger, policy=policy)
    assert found["error"] == name


def test_walking_noise_is_refused(tab: Tab, ledger: str) -> None:
    walk = (ROOT / "docs" / "vectors" / "walk.design.json").read_text()
    found = run(tab, "return said(client(design, {}, ledger))", design=walk, ledger=ledger)
    assert found["error"] == "InvalidDesign"


def test_a_design_that_breaks_its_promise_is_not_opened(tab: Tab, ledger: str) -> None:
    broken = FIRST.replace('"epsilon":1.0', '"epsilon":0.5')
    assert broken != FIRST
    found = run(tab, "return said(client(design, {}, ledger))", design=broken, ledger=ledger)
    assert found["error"] == "InvalidDesign"


def test_a_group_is_told_and_a_value_never_is(tab: Tab, ledger: str) -> None:
    found, refused, echoed = run(
        tab,
        """
        const one = await client(design, {}, ledger);
        const refused = [await said(one.report(1)), await said(one.report(1, {group: "Bronx"}))];
        const echoed = await said(one.report("31337 dollars", {group: "Queens"}));
        return [await said(one.report(1, {group: "Queens"})), refused, echoed];
        """,
        design=text(grouped_design()),
        ledger=ledger,
    )
    assert found["group"] == 1
    assert [one["error"] for one in refused] == ["InvalidParameter"] * 2
    assert echoed["error"] == "OutOfDomain"
    assert "31337" not in echoed["words"]


def test_the_device_asks_the_network_for_nothing(tab: Tab, ledger: str) -> None:
    before = len(tab.events("Network.requestWillBeSent"))
    run(tab, "return (await client(design, {}, ledger)).report(1.2345)", design=FIRST, ledger=ledger)
    asked = tab.events("Network.requestWillBeSent")
    assert before
    assert len(asked) == before
