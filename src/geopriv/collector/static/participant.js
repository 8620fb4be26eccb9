// The participant's page: the answer is read from its field, made into a report here, and never put anywhere else.

import { Client } from "../client/index.js";
import { Chart } from "./map.js";

const $ = (id) => document.getElementById(id);
const { hash, epsilon, unit, invited } = document.body.dataset;
const [token] = /^[\w-]{22}$/.exec(location.hash.slice(1)) ?? [""]; // a fragment, which no browser sends
const SAID = {
  counted: "Yours was counted. Thank you.",
  "counted before": "Yours was counted already, once. Thank you.",
  "no token": "It was not counted: this link has no invitation. Open the link that you were given.",
  "unknown token": "It was not counted: this invitation is not known here.",
  "too fast": "It was not counted yet: too many requests came from here. Try again in a while.",
};
// of a field of which the browser remembers nothing, and asks no service of its maker's what it thinks
const ALONE = { autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", translate: "no", writingsuggestions: "false" };
// three digits behind a point: decimals, or thousands, as half of the world writes them
const EITHER = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;
let made = ""; // the report, as it is sent
const USED = "It was not counted: a report was counted with this invitation before. If you sent none, tell who invited you.";
const OTHER = "It was not counted again: this browser has answered with another invitation.";
const LATER = "Nobody answered, so it is not known whether it was counted. Try again: it is the same report.";

function say(words, wrong = false) {
  $("said").textContent = words;
  $("said").classList.toggle("wrong", wrong);
}

/** A design of its own hash alone, and of one survey for each browser at this address. */
async function opened() {
  const bytes = new Uint8Array(await (await fetch("v1/design")).arrayBuffer());
  const allowed = { unit: unit || null, mostEpsilon: Number(epsilon), total: Number(epsilon), hash };
  // whether values are degrees follows from the design, which is the published one
  const degrees = ["Earth", "LocalPlane"].includes(JSON.parse(new TextDecoder().decode(bytes)).mechanisms[0].space.type);
  return Client.open(bytes, { ...allowed, degrees });
}

/** One field a number, without a name, so that no form could ever send it. */
function fields({ degrees, document: { source } }) {
  const { axes, unit: called } = $("fields").dataset;
  const columns = source?.columns?.length === Number(axes) ? source.columns : null;
  const plain = Number(axes) === 1 ? ["Your answer"] : Array.from({ length: Number(axes) }, (_, k) => `Number ${k + 1}`);
  const names = degrees ? ["Latitude", "Longitude"] : (columns ?? plain);
  return names.map((name, k) => {
    const [label, input] = [document.createElement("label"), document.createElement("input")];
    label.textContent = called && !degrees ? `${name} (${called})` : name;
    label.htmlFor = input.id = `field${k}`;
    Object.assign(input, { type: "text", inputMode: degrees ? "text" : "decimal", required: true });
    for (const [name, value] of Object.entries(ALONE)) input.setAttribute(name, value);
    input.setAttribute("aria-describedby", "said");
    input.addEventListener("input", () => mark([input], false));
    $("fields").append(label, input);
    return input;
  });
}

/** What is typed wrong, until it is typed again. */
function mark(inputs, wrong) {
  inputs.forEach((input) => (wrong ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid")));
  if (!wrong && $("said").classList.contains("wrong")) say("");
}

/** Why an answer is none, in words for people; what devices say to programs names their parts. */
function refusal(error, { degrees }, inputs) {
  if (error.name !== "OutOfDomain") return error.message;
  mark(inputs, true);
  inputs[0].focus();
  const point = $("map") ? "Point at the map, or type" : "Type";
  if (degrees) return `This is no place. ${point} two numbers with a point, such as 40.7128 and -74.006; south and west are below 0.`;
  return `Type ${inputs.length > 1 ? "numbers" : "a number"} with nothing else, such as 12000 or 2.5: no words, no spaces, no commas.`;
}

/** As long as any report of the survey: how much is sent can be seen on the network, and tells nothing of the report. */
function padded(line) {
  return line.padEnd(Number($("fields").dataset.axes) > 16 ? 4000 : 512);
}

/** The invitation in a header, the report in the body: the answer is in neither. */
async function send(line) {
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch("v1/reports", { method: "POST", headers, body: padded(line), referrerPolicy: "no-referrer" });
  return { counted: answer.ok, words: (await answer.json()).verdict };
}

/** A pin beside the fields: what is pointed at stands in them, and what is typed moves it. */
function pinned(inputs) {
  if (!$("map")) return () => {};
  const chosen = (place) => {
    place.forEach((part, k) => (inputs[k].value = part));
    mark(inputs, false);
  };
  const map = new Chart($("map"), $("where"), chosen);
  const typed = () => map.type(inputs.map((input) => input.value));
  inputs.forEach((input) => input.addEventListener("input", typed));
  return typed;
}

/** About how many were counted: one coarse number, which this browser asks for when it has sent. */
async function soFar() {
  try {
    const { at_least: least } = await (await fetch("v1/count", { referrerPolicy: "no-referrer" })).json();
    return least ? ` There are ${least.toLocaleString("en")} reports or more so far.` : " There are fewer than 10 reports so far.";
  } catch {
    return "";
  }
}

function locate(inputs, moved) {
  say("Asking this device for its position…");
  const found = ({ coords }) => {
    [coords.latitude, coords.longitude].forEach((part, k) => (inputs[k].value = String(part)));
    mark(inputs, false);
    moved();
    say("The position stands in the fields. This page sends it nowhere.");
  };
  navigator.geolocation.getCurrentPosition(found, () => say("This device tells no position. Type it instead.", true));
}

async function make(client, inputs, moved) {
  $("make").disabled = true;
  say("Making the report…");
  try {
    const values = inputs.map((input) => input.value.trim());
    const asked = client.design.degrees ? [] : inputs.filter((_, k) => EITHER.test(values[k]));
    if (asked.length) {
      mark(asked, true);
      asked[0].focus();
      throw new Error("Are these thousands or decimals? Type 3000 for three thousand, 3.0 for three: behind a point, two digits or four.");
    }
    made = await client.report(values.length === 1 ? values[0] : values, { group: $("group")?.value });
    $("report").textContent = made;
    [$("ask").hidden, $("made").hidden] = [true, false];
    inputs.forEach((input) => (input.value = ""));
    moved();
    $("made").focus();
    say("Nothing was sent yet.");
  } catch (error) {
    say(refusal(error, client.design, inputs), true);
  }
  $("make").disabled = false;
}

/** With which invitation this browser has sent its report: a collector does not know which report came with which. */
function invitation(...now) {
  try {
    const before = localStorage.getItem(hash);
    if (now.length) now[0] === null ? localStorage.removeItem(hash) : localStorage.setItem(hash, now[0]);
    return before;
  } catch {
    return null; // the browser keeps nothing
  }
}

async function deliver() {
  $("send").disabled = true;
  const before = invitation();
  if (before !== null && before !== token) return say(OTHER, true);
  say("Sending…");
  try {
    invitation(token);
    const { counted, words } = await send(made);
    if (words && !counted) invitation(before);
    const elsewhere = words === "counted before" && before === null;
    const said = elsewhere ? USED : SAID[words] ?? "It was not counted now. Try again: it is the same report.";
    say(said + (counted ? await soFar() : ""), !counted);
    $("send").disabled = counted;
    if (counted) [$("send").textContent, $("exactly").textContent] = ["Sent", "This was sent"];
  } catch {
    say(LATER, true);
    $("send").disabled = false;
  }
}

say("Checking the promise…");
try {
  const client = await opened();
  const inputs = fields(client.design);
  const moved = pinned(inputs);
  $("here").hidden = $("found").hidden = !client.design.degrees;
  $("here").addEventListener("click", () => locate(inputs, moved));
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    make(client, inputs, moved);
  });
  $("send").addEventListener("click", deliver);
  if (invited === "yes" && !token) {
    say("This link has no invitation. Open the link that you were given.", true);
  } else {
    $("ask").hidden = false;
    say("The promise was checked in this browser.");
  }
} catch (error) {
  say(`This browser will not answer: ${error.message}`, true);
}
