// The analyst's page: what the collector answers, shown and renewed. The pass is in a cookie that no script reads.

const $ = (id) => document.getElementById(id);
const EVERY = 1000 * document.body.dataset.every; // milliseconds between two looks
const WRONG = "This is not the key. Nothing was shown.";
let round = null; // of a walk
let known = null; // what was shown last
let looks = 0;
let chosen = false; // whether somebody chose how many reports are made up

class Refusal extends Error {
  constructor(status, { reason, error } = {}) {
    super(reason === "no key" ? "" : (error ?? `The collector answered ${status}.`)); // then the form asks for it
    this.locked = status === 401;
  }
}

/** What the collector answers; a refusal is an error in words. */
async function ask(path, options = {}) {
  const answer = await fetch(path, { ...options, cache: "no-store", referrerPolicy: "no-referrer" });
  if (answer.status === 204) return null;
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, found);
  return found;
}

const made = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });
const number = (value) => value.toLocaleString("en-US");
const show = (id, wanted) => ($(id).hidden = !wanted);
const about = (more = {}) => {
  const query = new URLSearchParams({ ...(round && { round }), ...more }).toString();
  return query && `?${query}`;
};

/** Only what is new is written, so that a screen reader hears it once. */
function write(id, words) {
  if ($(id).textContent !== words) $(id).textContent = words;
}

function complain(words) {
  write("wrong", words);
  show("wrong", words);
}

/* ---- what is shown ---- */

function counted({ said, rounds, invitations }) {
  const used = invitations && `${number(invitations.spent)} of ${number(invitations.issued)} invitations were used`;
  const here = round && rounds.find((one) => one.round === round);
  write("count", [`${said} so far`, here && `${number(here.reports)} in round ${round}`, used].filter(Boolean).join(" · "));
}

function choices({ rounds }) {
  show("rounds", rounds.length);
  const names = rounds.map((one) => String(one.round));
  if (names.join() === [...$("round").options].map((one) => one.value).join()) return;
  $("round").replaceChildren(...names.map((name) => Object.assign(made("option", name), { value: name })));
  $("round").value = String(round);
}

function meters({ progress }) {
  show("progress", progress);
  $("progress").querySelector("ul").replaceChildren(
    ...(progress?.questions ?? []).map(({ name, done, words, plain: bounds }) => {
      const [line, meter] = [made("li", ""), made("progress", `${Math.floor(100 * done)} %`)];
      Object.assign(meter, { max: 1, value: done });
      meter.setAttribute("aria-label", `Towards the error that is wanted of ${name}`);
      line.append(made("strong", name), meter, made("span", words), ...(bounds ? [made("span", bounds)] : []));
      return line;
    }),
  );
}

function liars({ made_up: bound }) {
  show("liars", bound);
  if (!bound) return;
  Object.assign($("some"), { max: bound.of });
  if (document.activeElement !== $("some")) $("some").value = bound.some;
  moved(bound);
}

function moved({ questions }) {
  const lines = questions.map(({ name, words }) => {
    const line = document.createElement("p");
    line.append(made("strong", name), ` ${words}`);
    return line;
  });
  if (!lines.length) lines.push(made("p", "No bound is told for these questions."));
  const said = lines.map((line) => line.textContent).join();
  if ($("moved").dataset.said === said) return;
  $("moved").dataset.said = said;
  $("moved").replaceChildren(...lines);
}

/** Words first in each row, numbers behind. */
function table(names, rows) {
  const row = (tag, cells) => {
    const line = document.createElement("tr");
    line.append(...cells.map((cell, k) => made(tag, cell, k ? "number" : "")));
    return line;
  };
  const head = row("th", names);
  [...head.children].forEach((cell) => (cell.scope = "col"));
  const found = document.createElement("table");
  found.append(head, ...rows.map((cells) => row("td", cells)));
  return found;
}

function refused({ rejected }) {
  const rows = rejected.map(({ words, times }) => [words, number(times)]);
  $("rejected").replaceChildren(
    rows.length ? table(["Why", "Reports"], rows) : made("p", "Nothing was rejected so far."),
  );
}

function days({ shifts }) {
  show("days", shifts);
  if (!shifts) return;
  const [words, more, within] = ["p.words", "details", ".scroll"].map((part) => $("days").querySelector(part));
  words.textContent = shifts.words;
  words.classList.toggle("warn", shifts.differ);
  more.hidden = shifts.days.length < 2;
  const chance = (value) => (value < 0.001 ? "below 0.001" : value.toPrecision(2));
  const rows = shifts.days.map(({ name, reports, p_value }) => [name, number(reports), chance(p_value)]);
  within.replaceChildren(table(["Day (UTC)", "Reports", "Chance to be so odd"], rows));
}

function files({ answered, places }) {
  show("take", answered);
  const all = [
    ["v1/report.html", "report.html", "The whole page, with how it was measured and what is promised"],
    ["v1/answers", "estimates.json", "All numbers, for geopriv and other programs"],
    ["v1/answers.csv", "answers.csv", "A table, for spreadsheets"],
    ...(places ? [["v1/answers.geojson", "answers.geojson", "Areas on a map"]] : []),
  ];
  $("files").replaceChildren(
    ...all.map(([path, name, words]) => {
      const line = document.createElement("li");
      line.append(Object.assign(made("a", name), { href: path + about(), download: name }), ` ${words}`);
      return line;
    }),
  );
}

/* ---- the page of answers, in its frame ---- */

const frame = $("answers");

/** As high as what is in it, without what stands in the whole page only. */
function fit() {
  const page = frame.contentDocument;
  if (!page || frame.contentWindow.location.href === "about:blank") return;
  if (!page.querySelector("main")) {
    [frame.hidden, known] = [true, null]; // a refusal: the next look says which
    return;
  }
  const rest = "body > header, body > footer, section:has(> #promise), section:has(> #method), section:has(> #verify)";
  page.querySelectorAll(rest).forEach((part) => (part.hidden = true));
  page.documentElement.style.setProperty("--screen", `${innerHeight / 100}px`);
  const height = () => (frame.style.height = `${Math.ceil(page.documentElement.getBoundingClientRect().height)}px`);
  new ResizeObserver(height).observe(page.documentElement);
  height();
}

function load() {
  show("waiting", false);
  frame.contentWindow.location.replace(new URL(`v1/report.html${about()}`, document.baseURI));
}

/** New answers; but not under the hands of who is looking closely at a map. */
function answers(found, same) {
  show("none", !found.answered);
  write("none", found.problem?.error ?? "");
  if (frame.hidden !== !found.answered) frame.hidden = !found.answered;
  if (!found.answered || same) return;
  if (document.activeElement === frame && known?.answered) show("waiting", true);
  else load();
}

/* ---- looking ---- */

function shown(found) {
  const same = known && known.answered === found.answered && known.reports === found.reports && known.round === round;
  [counted, choices, meters, liars, refused, days, files].forEach((part) => part(found));
  answers(found, same);
  const more = known && found.reports - known.reports;
  const time = new Date().toLocaleTimeString("en-GB");
  if (more) write("said", `${number(more)} more since the last look.`);
  write("time", `Looked at ${time}.`);
  known = { ...found, round };
}

async function look() {
  const mine = ++looks;
  const typed = $("some").validity.valid && $("some").value;
  try {
    let found = await ask(`v1/overview${about(chosen && typed ? { made_up: typed } : {})}`);
    if (found.rounds.length && round === null) {
      round = found.rounds.at(-1).round;
      found = await ask(`v1/overview${about()}`);
    }
    if (mine !== looks) return; // somebody asked for something else meanwhile
    complain("");
    show("enter", false);
    show("shown", true);
    shown(found);
  } catch (error) {
    if (mine === looks) lock(error);
  }
}

/** Whoever has no pass is asked for the key; all else is said, and tried again. */
function lock(error) {
  complain(error instanceof Refusal ? error.message : "The collector does not answer. This page tries again.");
  if (!error.locked) return;
  known = null;
  show("shown", false);
  show("enter", true);
  write("count", "Answers so far");
}

async function enter() {
  try {
    await ask("v1/session", { method: "POST", headers: { Authorization: `Bearer ${$("key").value}` } });
    $("key").value = "";
    await look();
  } catch (error) {
    // a header takes plain letters only: what it does not take is no key either
    complain(error instanceof Refusal && !error.locked ? error.message : WRONG);
    $("key").focus();
  }
}

async function leave() {
  await ask("v1/session", { method: "DELETE" });
  await look();
  $("key").focus();
}

$("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  enter();
});
$("leave")?.addEventListener("click", leave);
$("refresh").addEventListener("click", look);
$("renew").addEventListener("click", load);
$("round").addEventListener("change", () => {
  [round, chosen] = [Number($("round").value), false];
  look();
});
$("some").addEventListener("input", () => {
  chosen = true;
  if ($("some").reportValidity() && $("some").value) look();
});
frame.addEventListener("load", fit);
setInterval(() => {
  if ($("auto").checked && !$("shown").hidden && !document.hidden) look();
}, EVERY);
look();
