// What a participant's browser does, for many participants of one value: it reads the design, makes reports and sends
// them, each with an invitation. A design that is given in place of the collector's own is drawn from instead, and what
// it draws is sent under the collector's hash: a client that was changed.

async ({ given, value, tokens, singly }) => {
  const [{ Client, verify }, { systemBytes }] = await Promise.all([import("/client/index.js"), import("/client/uniform.js")]);
  const asked = new Uint8Array(await (await fetch("/v1/design")).arrayBuffer());
  const { hash } = JSON.parse(new TextDecoder().decode(asked));
  const bytes = given === null ? asked : new TextEncoder().encode(given);
  const design = await verify(bytes);
  let drawn = 0; // bytes of the browser's own generator
  const draw = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (array) => { drawn += array.length; return draw(array); };
  const underHash = (line) => line.replace(design.hash, hash);
  const verdicts = [];
  const send = async (path, body, headers = {}) => {
    const answer = await (await fetch(path, { method: "POST", body, headers })).json();
    verdicts.push(...(answer.verdicts ?? [answer.verdict]));
  };

  // some in full, by a client with its ledger, one request each
  const { unit, epsilon, degrees } = design;
  const policy = { unit, mostEpsilon: epsilon, total: epsilon, hash: design.hash, degrees, after: 0 };
  const client = await Client.open(bytes, policy, crypto.randomUUID());
  const lines = [];
  for (const token of tokens.slice(0, singly)) {
    lines.push(underHash(await client.report(value, { person: token })));
    await send("/v1/reports", lines.at(-1), { Authorization: `Bearer ${token}` });
  }
  client.close();

  // and many more in batches
  for (let k = singly; k < tokens.length; k += 1000) {
    const batch = tokens.slice(k, k + 1000).map((token) => [token, underHash(design.draw(value, systemBytes))]);
    lines.push(...batch.map(([, line]) => line));
    await send("/v1/batch", batch.map((both) => both.join(" ")).join("\n"));
  }
  return { lines, verdicts, drawn };
}
