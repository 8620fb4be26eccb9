// What a page does besides being read: look closer, see it another way, take it away. It loads nothing and sends nothing.
"use strict";
(() => {
  const ABOVE = "#e69f00", BELOW = "#0072b2"; // told apart with every kind of colour vision, also as greys
  const DEEPEST = 1 / 32; // of a map's sides, when looked at as closely as can be

  /* ---- numbers as the page says them ---- */

  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const decimalsFor = (error, most) => (error > 0 ? clamp(Math.ceil(-Math.log10(error)), 0, most) : 1);

  function fixed(value, digits) {
    const rounded = Number(value.toFixed(digits)) === 0 ? 0 : value; // no minus before zero
    const style = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return rounded.toLocaleString("en-US", style).replace("-", "−");
  }

  function plain(value, digits) {
    return value.toLocaleString("en-US", { maximumSignificantDigits: digits }).replace("-", "−");
  }

  // the ends of an interval, rounded away from its middle
  function outward(low, high, digits) {
    const unit = 10 ** digits;
    return [Math.floor(low * unit + 1e-9) / unit, Math.ceil(high * unit - 1e-9) / unit].map((end) => fixed(end, digits));
  }

  /* ---- taking away ---- */

  function save(name, type, parts) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(parts, { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  const centimetre = (degrees) => Number(degrees.toFixed(7)); // on the ground
  const fileName = (name, ending) => `${name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")}.${ending}`;
  const quoted = (cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replace(/"/g, '""')}"` : String(cell));
  const csv = (rows) => rows.map((row) => `${row.map((cell) => quoted(cell ?? "")).join(",")}\r\n`);

  // a row as all exports have it: what stands in all rows, and the numbers of this one
  const row = ({ fields, row, confidence }, numbers) =>
    Object.fromEntries(fields.map((name) => [name, numbers[name] ?? row[name] ?? (name === "confidence" ? confidence : null)]));

  const table = (fields, rows) => csv([fields, ...rows.map((each) => fields.map((name) => each[name]))]);

  /* ---- parts of a page ---- */

  const from = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);
  const find = (within, selector) => within.querySelector(selector);

  function made(tag, className, text = "") {
    const node = document.createElement(tag);
    node.className = className;
    node.textContent = text;
    return node;
  }

  function option(value, text) {
    const node = made("option", "", text);
    node.value = value;
    return node;
  }

  // what is said first, where there is no pointer and most likely no keyboard
  function tapped({ children: [name, , rest] }, first, more) {
    if (matchMedia("(hover: none)").matches) [name.textContent, rest.textContent] = [first, more];
  }

  // whole steps, each less the one before; all lowest bytes first, then all second ones, and so on
  async function unpacked(text, step) {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const size = bytes.length / 4, values = new Float64Array(size);
    for (let k = 0, sum = 0; k < size; k++) {
      sum += bytes[k] | (bytes[size + k] << 8) | (bytes[2 * size + k] << 16) | (bytes[3 * size + k] << 24);
      values[k] = sum * step;
    }
    return values;
  }

  /* ---- between the points of a grid ---- */

  // for each place four points and their weights: cubic between points of a fine grid, else all of the nearest one
  function taps(places, count, fine) {
    const points = new Int32Array(4 * places.length), weights = new Float64Array(4 * places.length);
    places.forEach((place, k) => {
      const near = fine ? clamp(Math.floor(place), 0, count - 2) : clamp(Math.round(place), 0, count - 1);
      const t = fine ? clamp(place - near, 0, 1) : 0;
      const four = [((2 - t) * t - 1) * t, (3 * t - 5) * t * t + 2, ((4 - 3 * t) * t + 1) * t, (t - 1) * t * t];
      four.forEach((weight, m) => {
        points[4 * k + m] = clamp(near - 1 + m, 0, count - 1);
        weights[4 * k + m] = weight / 2;
      });
    });
    return { points, weights };
  }

  // a grid, column after column from below, at every pixel, row after row from above
  function resampled(grid, columns, rows, xs, ys, fine) {
    const across = taps(xs, columns, fine), down = taps(ys, rows, fine);
    const wide = xs.length, tall = ys.length;
    const lines = new Float64Array(columns * tall), pixels = new Float64Array(wide * tall);
    const blend = (source, base, stride, { points, weights }, k) =>
      weights[k] * source[base + stride * points[k]] + weights[k + 1] * source[base + stride * points[k + 1]] +
      weights[k + 2] * source[base + stride * points[k + 2]] + weights[k + 3] * source[base + stride * points[k + 3]];
    for (let i = 0; i < columns; i++)
      for (let q = 0; q < tall; q++) lines[i * tall + q] = blend(grid, i * rows, 1, down, 4 * q);
    for (let q = 0; q < tall; q++)
      for (let p = 0; p < wide; p++) pixels[q * wide + p] = blend(lines, q, tall, across, 4 * p);
    return pixels;
  }

  /* ---- a map ---- */

  class LiveMap {
    constructor(section, data, grids) {
      Object.assign(this, { section, data, grids, show: "estimate", view: { x: 0, y: 0, size: 1 }, cursor: null });
      this.chosen = { estimate: data.keys.estimate.chosen, error: data.keys.error.chosen };
      this.typed = data.keys.estimate.scales["linear"].ticks[1]?.[2] ?? 0;
      this.build();
      this.listen();
      this.change();
    }

    // the first picture again, with a canvas for its image, and the tools around it
    build() {
      const { data, section } = this;
      this.box = from("live-map");
      this.figure = find(section, ".maps figure").cloneNode(true);
      find(this.figure, "figcaption").remove();
      this.stage = find(this.figure, ".plot");
      this.stage.classList.add("hatch", "stage");
      this.canvas = made("canvas", "");
      find(this.stage, "img").replaceWith(this.canvas);
      this.lines = find(this.stage, "svg");
      find(this.lines, ".contours")?.remove();
      this.marker = made("span", "marker");
      this.marker.hidden = true;
      this.stage.append(this.marker);
      const set = { tabindex: 0, role: "application", "aria-roledescription": "map", "aria-label": data.name };
      for (const [name, value] of Object.entries(set)) this.stage.setAttribute(name, value);
      this.figure.style.setProperty("--wide", `max(19rem, calc(${(80 * 1000) / data.tall} * var(--screen, 1vh) + 4rem))`);
      this.canvas.style.aspectRatio = `1000/${data.tall}`;
      find(this.box, ".picture").append(this.figure);
      this.key = find(this.figure, ".colours");
      find(this.figure, ".scaled")?.remove();
      if (data.tall > 1200) this.box.classList.add("upright");
      this.readout = find(this.box, ".readout");
      tapped(this.readout, "Tap a place for its value.", "Two fingers zoom, and one moves what was zoomed.");
      this.legend = find(this.box, ".judged");
      this.fields = Object.fromEntries([...this.box.querySelectorAll("[name]")].map((field) => [field.name, field]));
      const shows = { estimate: "estimate", consistent: `${data.nicer.toLowerCase()}, biased`, error: "standard error", typed: "surely above or below" };
      for (const [name, text] of Object.entries(shows))
        if (name === "typed" || this.grids[name]) this.fields.show.append(option(name, text));
      for (const name of Object.keys(data.keys.estimate.scales)) this.fields.scale.append(option(name, name));
      this.fields.typed.value = this.typed;
      find(this.box, ".typed-unit").textContent = data.unit;
      find(this.box, "[data-do=geojson]").hidden = !data.globe;
      // marks along the sides and letters, with where they are on the whole map
      this.placed = [...this.stage.querySelectorAll(".tick, .mark")].map((node) => ({
        node, x: parseFloat(node.style.left) / 100, y: node.style.top ? parseFloat(node.style.top) / 100 : 1 - parseFloat(node.style.bottom) / 100,
      }));
      this.rulers = [...this.figure.querySelectorAll(".ruler")];
      const maps = find(section, ".maps");
      maps.before(this.box);
      section.classList.add("lively");
    }

    listen() {
      const { fields, stage } = this;
      fields.show.addEventListener("change", () => { this.show = fields.show.value; this.change(); });
      fields.scale.addEventListener("change", () => { this.chosen[this.keyName] = fields.scale.value; this.change(); });
      fields.typed.addEventListener("input", () => { this.typed = fields.typed.valueAsNumber; this.change(); });
      const acts = {
        in: () => this.closer(1 / 1.6), out: () => this.closer(1.6), whole: () => this.look(0, 0, 1),
        csv: () => save(fileName(this.data.name, "csv"), "text/csv", table(this.data.fields, [...this.cells()].map((cell) => this.row(cell)))),
        geojson: () => save(fileName(this.data.name, "geojson"), "application/geo+json", this.features()),
        png: () => this.drawn().toBlob((blob) => save(fileName(this.data.name, "png"), "image/png", [blob])),
      };
      for (const button of this.box.querySelectorAll("[data-do]"))
        button.addEventListener("click", acts[button.dataset.do]);
      stage.addEventListener("keydown", (event) => this.pressed(event));
      stage.addEventListener("wheel", (event) => this.rolled(event), { passive: false });
      this.pointers = new Map();
      for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
        stage.addEventListener(name, (event) => this.pointed(event));
      new ResizeObserver(() => this.paint()).observe(this.canvas);
    }

    get keyName() { return this.show === "error" ? "error" : "estimate"; }
    get scale() { return this.data.keys[this.keyName].scales[this.chosen[this.keyName]]; }

    // how far along a scale a number is
    along(value) {
      const { bottom, top } = this.scale, name = this.chosen[this.keyName];
      const held = clamp(value, bottom, top);
      if (name === "logarithmic") return Math.log(held / bottom) / Math.log(top / bottom);
      const share = (held - bottom) / (top - bottom);
      return name === "square root" ? Math.sqrt(share) : share;
    }

    /* ---- what is seen ---- */

    change() {
      const { data, fields } = this, judging = this.show === "typed";
      fields.typed.closest("label").hidden = !judging;
      fields.scale.closest("label").hidden = judging;
      fields.scale.value = this.chosen[this.keyName];
      this.key.hidden = this.key.nextElementSibling.hidden = judging; // its colours and their unit
      const biased = this.show === "consistent" ? "biased by that" : this.show === "error" ? "" : data.label;
      find(this.box, ".label").textContent = biased;
      find(this.box, ".label").hidden = !biased;
      this.legend.replaceChildren();
      const entry = (className, text, colour) => {
        const item = made("li", "", text), swatch = made("span", `swatch ${className}`);
        if (colour) swatch.style.background = colour;
        item.prepend(swatch);
        this.legend.append(item);
      };
      if (judging && Number.isFinite(this.typed)) {
        const said = `${plain(this.typed, 6)} ${data.unit}`;
        entry("", `surely above ${said}`, ABOVE);
        entry("", `surely below`, BELOW);
        entry("hatch", "may be either");
        this.legend.append(made("li", "", data.together
          ? `judged by a ${data.level} band that holds the whole map at once`
          : `judged place by place by ${data.level} intervals, each for itself: some places are misjudged`));
      } else if (judging) this.legend.append(made("li", "", "Type a number."));
      find(this.section, ".key .told")?.toggleAttribute("hidden", this.show !== "estimate");
      this.redrawKey();
      this.paint();
      this.say();
    }

    redrawKey() {
      const { colours } = this.data.keys[this.keyName];
      find(this.key, ".ramp").style.background = `linear-gradient(to right, ${colours.join(", ")})`;
      for (const tick of this.key.querySelectorAll(".tick")) tick.remove();
      for (const [at, label] of this.scale.ticks) {
        const tick = made("span", "tick", label);
        tick.style.left = `${at}%`;
        this.key.append(tick);
      }
    }

    // a grid as it is at every pixel of a picture
    seen(name, wide, tall) {
      const { columns, rows, fine } = this.data, { x, y, size } = this.view;
      const at = [x, y, size, wide, tall].join();
      if (this.kept?.at !== at) this.kept = { at };
      if (this.kept[name]) return this.kept[name];
      const xs = Array.from({ length: wide }, (_, p) => (x + ((p + 0.5) / wide) * size) * (columns - 1));
      const ys = Array.from({ length: tall }, (_, q) => (1 - y - ((q + 0.5) / tall) * size) * (rows - 1));
      return (this.kept[name] = resampled(this.grids[name], columns, rows, xs, ys, fine));
    }

    // how surely it is more and less than anything: the band's ends, moved by what the bias may be
    ends(wide, tall) {
      const { band, bias } = this.data;
      if (this.grids.low) {
        const low = this.seen("low", wide, tall), high = this.seen("high", wide, tall);
        return { low: (k) => low[k] - bias, high: (k) => high[k] + bias };
      }
      const value = this.seen("estimate", wide, tall), error = this.seen("error", wide, tall);
      return { low: (k) => value[k] - band * error[k] - bias, high: (k) => value[k] + band * error[k] + bias };
    }

    image(wide, tall) {
      const image = new ImageData(wide, tall), bytes = image.data;
      const rgb = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
      const put = (k, [r, g, b]) => { bytes[4 * k] = r; bytes[4 * k + 1] = g; bytes[4 * k + 2] = b; bytes[4 * k + 3] = 255; };
      if (this.show === "typed") {
        const { low, high } = this.ends(wide, tall), above = rgb(ABOVE), below = rgb(BELOW);
        for (let k = 0; k < wide * tall; k++)
          if (low(k) > this.typed) put(k, above); else if (high(k) < this.typed) put(k, below);
        return image;
      }
      const values = this.seen(this.show, wide, tall), colours = this.data.keys[this.keyName].colours.map(rgb);
      const low = this.show === "estimate" ? this.ends(wide, tall).low : () => 1;
      for (let k = 0; k < values.length; k++)
        if (low(k) > 0) put(k, colours[Math.min(Math.floor(this.along(values[k]) * colours.length), colours.length - 1)]);
      if (this.data.fine && this.show !== "error") this.contours(values, bytes, wide);
      return image;
    }

    // a paler pixel where a number of the key is passed
    contours(values, bytes, wide) {
      const levels = this.scale.ticks.map(([, , mark]) => mark).filter((mark) => mark > this.scale.bottom);
      const passed = (a, b) => levels.some((level) => (a < level) !== (b < level));
      for (let k = 0; k < values.length - wide; k++)
        if (bytes[4 * k + 3] && (passed(values[k], values[k + 1]) || passed(values[k], values[k + wide])))
          for (let c = 0; c < 3; c++) bytes[4 * k + c] += 0.45 * (255 - bytes[4 * k + c]);
    }

    paint() {
      const wide = Math.min(Math.round(this.canvas.clientWidth * Math.min(devicePixelRatio, 2)), 1024);
      if (!wide) return;
      const tall = Math.max(Math.round((wide * this.data.tall) / 1000), 1);
      Object.assign(this.canvas, { width: wide, height: tall });
      this.canvas.getContext("2d", { willReadFrequently: true }).putImageData(this.image(wide, tall), 0, 0);
      this.place();
    }

    // lines, letters, marks along the sides, the ruler and the marker, where they are at this zoom
    place() {
      const { x, y, size } = this.view, { tall } = this.data;
      this.lines.setAttribute("viewBox", `${1000 * x} ${tall * y} ${1000 * size} ${tall * size}`);
      const move = (node, u, v) => {
        const left = (u - x) / size, top = (v - y) / size;
        if (!node.classList.contains("y")) node.style.left = `${100 * left}%`;
        if (node.classList.contains("y")) node.style.bottom = `${100 * (1 - top)}%`;
        else if (!node.classList.contains("x")) node.style.top = `${100 * top}%`;
        const off = (share) => share < -1e-6 || share > 1 + 1e-6;
        node.hidden = (!node.classList.contains("y") && off(left)) || (!node.classList.contains("x") && off(top));
      };
      for (const { node, x: u, y: v } of this.placed) move(node, u, v);
      this.graduate();
      this.marker.hidden = !this.cursor;
      if (this.cursor) move(this.marker, this.cursor[0] / (this.data.columns - 1), 1 - this.cursor[1] / (this.data.rows - 1));
      this.measure();
      this.stage.style.touchAction = size < 1 ? "none" : "pan-y";
    }

    // degrees along the sides of a part of a map, on which hardly a mark of the whole is left
    graduate() {
      const { x, y, size } = this.view, { low, high, globe } = this.data;
      for (const node of this.stage.querySelectorAll(".closer")) node.remove();
      if (!globe || size === 1) return;
      for (const { node } of this.placed) node.hidden ||= node.classList.contains("tick");
      const place = (u, v) => this.degrees([low[0] + u * (high[0] - low[0]), high[1] - v * (high[1] - low[1])]);
      const sides = [
        ["x", "left", "EW", (t) => place(x + t * size, y + size)[1]],
        ["y", "bottom", "NS", (t) => place(x, y + (1 - t) * size)[0]],
      ];
      for (const [side, edge, letters, angle] of sides) {
        const start = angle(0), turned = (t) => start + ((((angle(t) - start + 180) % 360) + 360) % 360) - 180;
        const wide = turned(1) - start, power = 10 ** Math.floor(Math.log10(wide / 2));
        const step = power * [5, 2, 1].find((lead) => lead * power <= wide / 2), digits = clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 6);
        for (let k = Math.ceil(start / step); k * step <= start + wide; k++) {
          let [from, to] = [0, 1]; // angles grow along a side, not evenly
          for (let m = 0; m < 20; m++) turned((from + to) / 2) < k * step ? (from = (from + to) / 2) : (to = (from + to) / 2);
          const told = ((((k * step + 180) % 360) + 360) % 360) - 180;
          const words = Math.abs(told).toFixed(digits), letter = Number(words) ? `\u00a0${letters[Number(told < 0)]}` : "";
          const mark = made("span", `tick closer ${side}`, `${words}°${letter}`);
          mark.style[edge] = `${100 * from}%`;
          mark.ariaHidden = true;
          this.stage.append(mark);
        }
      }
    }

    // a round length of the first unit of which one is not too long
    measure() {
      const systems = [[["km", 1000], ["m", 1]], [["mi", 1609.344], ["ft", 0.3048]]], { low, high, metres } = this.data;
      this.rulers.forEach((ruler, k) => {
        const wide = (high[0] - low[0]) * metres * this.view.size;
        const [unit, long] = systems[k].find(([, long]) => long <= 0.3 * wide) ?? systems[k][1];
        const power = 10 ** Math.floor(Math.log10((0.3 * wide) / long));
        const length = power * [5, 2, 1].find((lead) => lead * power * long <= 0.3 * wide);
        ruler.style.width = `${(100 * length * long) / wide}%`;
        ruler.nextElementSibling.textContent = `${plain(length, 6)}\u202f${unit}`;
      });
    }

    /* ---- looking closer ---- */

    look(x, y, size) {
      const held = clamp(size, DEEPEST, 1);
      this.view = { x: clamp(x, 0, 1 - held), y: clamp(y, 0, 1 - held), size: held };
      this.place();
      // once a frame is enough
      this.waiting ??= requestAnimationFrame(() => { this.waiting = undefined; this.paint(); });
    }

    // about a point of the picture, by default its middle
    zoom(factor, u = 0.5, v = 0.5) {
      const { x, y, size } = this.view, next = clamp(size * factor, DEEPEST, 1);
      this.look(x + u * (size - next), y + v * (size - next), next);
    }

    // about the place that was chosen by key, click or tap, if it is seen; a pointer that only passes chooses none
    closer(factor) {
      const { x, y, size } = this.view, { columns, rows } = this.data;
      const [i, j] = this.chosenPlace ?? [-1, -1], u = (i / (columns - 1) - x) / size, v = (1 - j / (rows - 1) - y) / size;
      this.zoom(factor, ...(Math.min(u, v) >= 0 && Math.max(u, v) <= 1 ? [u, v] : []));
    }

    // where on the picture an event is, from 0 to 1
    at({ clientX, clientY }) {
      const box = this.canvas.getBoundingClientRect();
      return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    }

    rolled(event) {
      // otherwise the page could not be scrolled past the map
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.stage) return;
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.002)), ...this.at(event));
    }

    pointed(event) {
      const before = this.pointers.get(event.pointerId), now = this.at(event);
      if (event.type === "pointerdown") {
        this.pointers.set(event.pointerId, now);
        this.stage.setPointerCapture(event.pointerId);
      } else if (event.type !== "pointermove") this.pointers.delete(event.pointerId);
      else if (before) {
        this.dragged(event.pointerId, before, now);
        this.pointers.set(event.pointerId, now);
      }
      if (event.pointerType === "mouse" || event.type === "pointerdown") this.pick(...now);
      if (event.type === "pointerdown") this.chosenPlace = this.cursor;
    }

    // one finger moves the map, two stretch it
    dragged(pointer, before, now) {
      const { x, y, size } = this.view;
      if (this.pointers.size === 1) return size < 1 && this.look(x - (now[0] - before[0]) * size, y - (now[1] - before[1]) * size, size);
      const [, other] = [...this.pointers].find(([id]) => id !== pointer);
      const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1e-6;
      return this.zoom(apart(before) / apart(now), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    }

    pressed(event) {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const { columns, rows } = this.data, { x, y, size } = this.view, step = steps[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (step && event.shiftKey) this.look(x + (step[0] * size) / 5, y - (step[1] * size) / 5, size);
      else if (step) {
        const [i, j] = this.cursor ?? this.nearest(0.5, 0.5);
        this.choose(clamp(i + step[0], 0, columns - 1), clamp(j + step[1], 0, rows - 1));
      } else if (event.key === "Home") this.choose(...this.densest());
      else if (event.key === "+" || event.key === "=") this.closer(1 / 1.6);
      else if (event.key === "-") this.closer(1.6);
      else if (event.key === "0") this.look(0, 0, 1);
      else return;
      event.preventDefault();
    }

    densest() {
      const { rows } = this.data, values = this.grids.estimate;
      const top = values.reduce((best, value, k) => (value > values[best] ? k : best), 0);
      return [Math.floor(top / rows), top % rows];
    }

    nearest(u, v) {
      const { columns, rows } = this.data, { x, y, size } = this.view;
      return [clamp(Math.round((x + u * size) * (columns - 1)), 0, columns - 1),
        clamp(Math.round((1 - y - v * size) * (rows - 1)), 0, rows - 1)];
    }

    pick(u, v) {
      this.cursor = this.nearest(clamp(u, 0, 1), clamp(v, 0, 1));
      this.readout.setAttribute("aria-live", "off"); // a moving pointer is not read out
      this.place();
      this.say();
    }

    // a point of the grid by keyboard: it is brought into view and read out
    choose(i, j) {
      const { x, y, size } = this.view, u = i / (this.data.columns - 1), v = 1 - j / (this.data.rows - 1);
      const edge = size / 10, held = (at, from) => (at < from + edge ? at - edge : at > from + size - edge ? at - size + edge : from);
      this.cursor = this.chosenPlace = [i, j];
      this.readout.setAttribute("aria-live", "polite");
      this.look(held(u, x), held(v, y), size);
      this.say();
    }

    /* ---- what is known of a place ---- */

    point(i, j) {
      const { low, high, columns, rows } = this.data;
      return [low[0] + (i / (columns - 1)) * (high[0] - low[0]), low[1] + (j / (rows - 1)) * (high[1] - low[1])];
    }

    // degrees of a point of the map, which is an orthographic projection
    degrees([east, north]) {
      const { latitude, longitude, radius } = this.data.globe, turn = Math.PI / 180;
      const rim = Math.max(Math.hypot(east, north) / radius, 1), x = east / radius / rim, y = north / radius / rim;
      const up = Math.sqrt(Math.max(1 - x * x - y * y, 0)), s = Math.sin(latitude * turn), c = Math.cos(latitude * turn);
      const out = c * up - s * y, angle = longitude + Math.atan2(x, out) / turn;
      return [Math.atan2(c * y + s * up, Math.hypot(x, out)) / turn, ((((angle + 180) % 360) + 360) % 360) - 180];
    }

    where(point) {
      if (!this.data.globe) return point.map((value) => `${plain(value, 4)}${this.data.distance && `\u202f${this.data.distance}`}`).join(", ");
      const [latitude, longitude] = this.degrees(point);
      return `${Math.abs(latitude).toFixed(3)}°\u00a0${latitude < 0 ? "S" : "N"}, ${Math.abs(longitude).toFixed(3)}°\u00a0${longitude < 0 ? "W" : "E"}`;
    }

    known(i, j) {
      const { rows, interval, band } = this.data, { estimate, error, low, high, consistent } = this.grids, k = i * rows + j;
      const around = (reach) => [estimate[k] - reach * error[k], estimate[k] + reach * error[k]];
      return { value: estimate[k], error: error[k], interval: around(interval), band: low ? [low[k], high[k]] : around(band), consistent: consistent?.[k] };
    }

    say() {
      if (!this.cursor) return;
      const { data } = this, { value, error, interval, band, consistent } = this.known(...this.cursor);
      const point = this.point(...this.cursor), digits = decimalsFor(error, data.decimals);
      const to = ([low, high]) => outward(low, high, digits).join(" to ");
      const parts = [`${data.level} interval ${to(interval)}${error < data.thin ? " (too short: few people are near)" : ""}`];
      if (data.together) parts.push(`band for the whole map ${to(band)}`);
      parts.push(`standard error ${plain(error, 2)}`);
      if (this.show === "consistent") parts.push(`${this.data.nicer.toLowerCase()} ${fixed(consistent, digits)}`);
      const outside = data.limits && point.some((at, axis) => at < data.limits[0][axis] - 1 || at > data.limits[1][axis] + 1);
      let verdict = outside ? ". Outside the region of the survey." : band[0] - data.bias > 0 ? "." : ". Cannot be told from zero.";
      if (this.show === "typed" && !outside)
        verdict = band[0] - data.bias > this.typed ? ". Surely above." : band[1] + data.bias < this.typed ? ". Surely below." : ". May be above or below.";
      const [name, figure, rest] = this.readout.children;
      name.textContent = this.where(point);
      figure.textContent = `${fixed(value, digits)}\u202f${data.unit}`;
      rest.textContent = `${parts.join("; ")}${verdict}`;
    }

    /* ---- what is shown, as files ---- */

    *cells() {
      const { columns, rows } = this.data, { x, y, size } = this.view, slack = 1e-9;
      const within = (share, from) => share >= from - slack && share <= from + size + slack;
      for (let i = 0; i < columns; i++)
        for (let j = 0; j < rows; j++)
          if (within(i / (columns - 1), x) && within(1 - j / (rows - 1), y)) yield [i, j];
    }

    // one cell's row, its numbers to far below their errors
    row([i, j]) {
      const { value, error, interval, band } = this.known(i, j), { data } = this, point = this.point(i, j);
      const digits = clamp(Math.round(-Math.log10(data.step)), 0, 100), ends = data.together ? band : [null, null];
      const names = ["value", "standard_error", "low", "high", "band_low", "band_high"], numbers = {};
      [value, error, ...interval, ...ends].forEach((each, k) => { numbers[names[k]] = each === null ? null : Number(each.toFixed(digits)); });
      const [latitude, longitude] = data.globe ? this.degrees(point).map(centimetre) : [];
      return row(data, { ...numbers, thin: error < data.thin, ...(data.globe ? { longitude, latitude } : { x: point[0], y: point[1] }) });
    }

    // each cell as the polygon around its point, in degrees
    features() {
      const parts = ['{"type":"FeatureCollection","features":['];
      const around = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5]], { longitude } = this.data.globe;
      for (const [i, j] of this.cells()) {
        // longitudes go on beyond 180° rather than jump
        const ring = around.map(([a, b]) => this.degrees(this.point(i + a, j + b)))
          .map(([north, east]) => [longitude + ((((east - longitude + 180) % 360) + 360) % 360) - 180, north].map(centimetre));
        const feature = { type: "Feature", geometry: { type: "Polygon", coordinates: [ring] }, properties: this.row([i, j]) };
        parts.push(`${parts.length > 1 ? "," : ""}\n${JSON.stringify(feature)}`);
      }
      return [...parts, "\n]}\n"];
    }

    // the picture with its lines, letters and key
    drawn() {
      const { tall, name, unit, keys } = this.data, { x, y, size } = this.view, wide = 1200, margin = 40, top = 100;
      const high = Math.round((wide * tall) / 1000), image = made("canvas", ""), inner = made("canvas", "");
      Object.assign(image, { width: wide + 2 * margin, height: high + top + (this.show === "typed" ? margin : 130) });
      Object.assign(inner, { width: wide, height: high });
      inner.getContext("2d").putImageData(this.image(wide, high), 0, 0);
      const pen = image.getContext("2d"), write = (text, left, down, font = "22px system-ui, sans-serif") => {
        Object.assign(pen, { font, fillStyle: "#16202b" });
        pen.fillText(text, left, down);
      };
      pen.fillStyle = "#ffffff";
      pen.fillRect(0, 0, image.width, image.height);
      write(name, margin, 46, "bold 30px system-ui, sans-serif");
      const shown = this.show === "typed" ? `Surely above (light) or below (dark) ${plain(this.typed, 6)} ${unit}; hatched: may be either` : `${this.fields.show.selectedOptions[0].textContent}, ${unit}${this.show === "estimate" ? "; hatched: cannot be told from zero" : ""}`;
      write(shown, margin, 80);
      pen.save();
      pen.translate(margin, top);
      pen.beginPath();
      pen.rect(0, 0, wide, high);
      pen.clip();
      pen.strokeStyle = "#c3ccd5";
      pen.beginPath();
      for (let k = -high; k < wide; k += 8) { pen.moveTo(k, high); pen.lineTo(k + high, 0); }
      pen.stroke();
      pen.drawImage(inner, 0, 0);
      const zoom = wide / 1000 / size, onPicture = new DOMMatrix([zoom, 0, 0, zoom, -x * 1000 * zoom, -y * tall * zoom]);
      for (const line of this.lines.querySelectorAll("path")) {
        const path = new Path2D(), style = getComputedStyle(line);
        path.addPath(new Path2D(line.getAttribute("d")), onPicture);
        if (line.classList.contains("outside")) { pen.fillStyle = "#ffffff"; pen.fill(path); continue; }
        Object.assign(pen, { strokeStyle: style.stroke, lineWidth: 1.5 * parseFloat(style.strokeWidth), lineJoin: "round" });
        pen.stroke(path);
      }
      for (const { node, x: u, y: v } of this.placed.filter(({ node }) => node.classList.contains("mark") && !node.hidden)) {
        const left = ((u - x) / size) * wide, down = ((v - y) / size) * high;
        pen.fillStyle = "#101418";
        pen.beginPath();
        pen.arc(left, down, 18, 0, 7);
        pen.fill();
        Object.assign(pen, { font: "bold 20px system-ui, sans-serif", fillStyle: "#ffffff", textAlign: "center", textBaseline: "middle" });
        pen.fillText(node.textContent, left, down);
      }
      pen.restore();
      if (this.show === "typed") return image;
      const { colours } = keys[this.keyName], bar = high + top + 30;
      colours.forEach((colour, k) => {
        pen.fillStyle = colour;
        pen.fillRect(margin + (k * wide) / colours.length, bar, wide / colours.length + 1, 24);
      });
      pen.textAlign = "center";
      for (const [at, label] of this.scale.ticks) write(label, margin + (at * wide) / 100, bar + 54);
      return image;
    }
  }

  /* ---- a curve ---- */

  class LiveCurve {
    constructor(section, data) {
      Object.assign(this, { data, k: null });
      this.box = from("live-curve");
      this.plot = find(section, ".plot");
      this.line = made("span", "along");
      this.line.hidden = true;
      this.plot.append(this.line);
      const set = { tabindex: 0, role: "application", "aria-roledescription": "curve", "aria-label": data.name };
      for (const [name, value] of Object.entries(set)) this.plot.setAttribute(name, value);
      find(section, "figure").after(this.box);
      this.readout = find(this.box, ".readout");
      tapped(this.readout, "Tap the curve for its values.", "");
      const hover = ({ clientX, pointerType, type }) => {
        if (pointerType !== "mouse" && type !== "pointerdown") return;
        const box = this.plot.getBoundingClientRect();
        this.choose(this.nearest((100 * (clientX - box.left)) / box.width), "off");
      };
      this.plot.addEventListener("pointermove", hover);
      this.plot.addEventListener("pointerdown", hover);
      this.plot.addEventListener("keydown", (event) => {
        const last = data.at.length - 1, k = this.k ?? Math.floor(last / 2);
        const to = { ArrowLeft: k - 1, ArrowRight: k + 1, PageUp: k + 10, PageDown: k - 10, Home: 0, End: last }[event.key];
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        this.choose(clamp(to, 0, last), "polite");
      });
      find(this.box, "[data-do=csv]").addEventListener("click", () =>
        save(fileName(data.name, "csv"), "text/csv", table(data.fields, data.at.map((_, k) => row(data, Object.fromEntries(Object.entries(data.numbers).map(([name, each]) => [name, each[k]])))))));
    }

    nearest(percent) {
      return this.data.at.reduce((best, at, k) => (Math.abs(at - percent) < Math.abs(this.data.at[best] - percent) ? k : best), 0);
    }

    choose(k, live) {
      this.k = k;
      this.readout.setAttribute("aria-live", live);
      this.line.hidden = false;
      this.line.style.left = `${this.data.at[k]}%`;
      const [name, figure, rest] = this.readout.children;
      [name.textContent, figure.textContent, rest.textContent] = this.data.said[k];
    }
  }

  /* ---- the page ---- */

  const pages = JSON.parse(document.getElementById("data").textContent);
  const sections = (name) => [...document.querySelectorAll(`section.${name}`)];
  sections("curved").forEach((section, k) => new LiveCurve(section, pages.curves[k]));
  sections("mapped").forEach(async (section, k) => {
    const data = pages.maps[k], names = Object.keys(data.grids);
    const grids = await Promise.all(names.map((name) => unpacked(data.grids[name], data.step)));
    new LiveMap(section, data, Object.fromEntries(names.map((name, at) => [name, grids[at]])));
  });
})();
