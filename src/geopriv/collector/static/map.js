// A map to point at a place: by pointer, by keys, or by numbers typed elsewhere. All that it draws came with the page, and
// nothing that it does asks for anything: where the pin stands is in no address and no request.

const MOST = 1024; // times that the region can be enlarged
const EDGE = 0.12; // of the picture: a pin nearer to the border of an enlarged map brings it to the middle
const STEP = 0.02; // of the picture, by an arrow key
const TALL = 1.15; // of the width, that the picture is high at most
const APART = 64; // from one label to the next
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const radians = (degrees) => (degrees * Math.PI) / 180;
const clip = (x, low, high) => Math.min(Math.max(x, low), high);

/** The largest of 1, 2 and 5 times a power of ten that is not above a number. */
function round(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return power * Math.max(...[1, 2, 5].filter((lead) => lead * power <= most));
}

function element(parent, name, attributes, words = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = words;
  parent.append(made);
}

/** A latitude or a longitude in words or in letters. */
function said(degrees, digits, [above, below], space = "° ") {
  const turned = ((degrees + 540) % 360) - 180;
  const size = Math.abs(turned).toFixed(digits);
  return Number(size) === 0 ? `${size}°` : `${size}${space}${turned < 0 ? below : above}`;
}

export class Chart {
  /** A map in an SVG that has the region's ends; `chosen` hears of every place that is pointed at. */
  constructor(svg, where, chosen) {
    Object.assign(this, { svg, where, chosen, place: null, zoom: 1 });
    const [south, west, north, east, wide, radius] = ["south", "west", "north", "east", "wide", "radius"].map((key) =>
      Number(svg.dataset[key]),
    );
    this.narrow = Math.cos(radians((south + north) / 2)); // degrees of longitude are so much shorter
    this.unit = wide / Math.max((east - west) * this.narrow, north - south); // of the drawn paths, a degree
    Object.assign(this, { south, west, north, east, radius });
    this.region = [(east - west) * this.narrow * this.unit, (north - south) * this.unit];
    this.middle = this.region.map((size) => size / 2);
    this.part = (name) => svg.querySelector(`.${name}`);
    const rect = this.part("region");
    rect.setAttribute("width", this.region[0]);
    rect.setAttribute("height", this.region[1]);
    this.listen();
    new ResizeObserver(() => this.fit()).observe(svg.parentElement);
  }

  listen() {
    const { svg } = this;
    svg.addEventListener("click", (event) => this.choose(this.at(event)));
    svg.addEventListener("keydown", (event) => this.press(event));
    const pin = this.part("pin");
    pin.addEventListener("pointerdown", (event) => {
      pin.setPointerCapture(event.pointerId);
      this.dragged = true;
    });
    pin.addEventListener("pointermove", (event) => this.dragged && this.move(this.at(event)));
    pin.addEventListener("pointerup", () => (this.dragged = false));
    pin.addEventListener("pointercancel", () => (this.dragged = false));
    document.getElementById("nearer").addEventListener("click", () => this.enlarge(2));
    document.getElementById("farther").addEventListener("click", () => this.enlarge(1 / 2));
  }

  /** The place under a pointer. */
  at({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top].map((part, k) => (part - this.size[k] / 2) / this.scale + this.middle[k]);
    return [this.north - y / this.unit, this.west + x / this.unit / this.narrow];
  }

  press(event) {
    const direction = DIRECTIONS[event.key];
    if (direction) {
      const [x, y] = direction.map((part) => ((event.shiftKey ? 10 : 1) * part * STEP * this.size[0]) / this.scale / this.unit);
      const [latitude, longitude] = this.place ?? this.center();
      this.choose([latitude + y, longitude + x / this.narrow]);
    } else if (event.key === "+" || event.key === "=") this.enlarge(2);
    else if (event.key === "-") this.enlarge(1 / 2);
    else return;
    event.preventDefault();
  }

  center() {
    return [this.north - this.middle[1] / this.unit, this.west + this.middle[0] / this.unit / this.narrow];
  }

  /** The pin to a place of the region, and a map that is enlarged to the pin. */
  choose(place) {
    this.move(place);
    this.follow();
  }

  move([latitude, longitude]) {
    const within = [clip(latitude, this.south, this.north), clip(longitude, this.west, this.east)];
    const digits = clip(Math.ceil(Math.log10(this.scale * this.unit)) + 1, 2, 6);
    const [up, along] = within.map((part) => part.toFixed(digits));
    this.chosen([up, along > 180 ? (along - 360).toFixed(digits) : along]);
    this.show([Number(up), Number(along)], digits);
  }

  /** A place that was typed or found: it may lie outside, or be none. */
  type(words) {
    const [latitude, longitude] = words.map((part) => (part.trim() === "" ? NaN : Number(part)));
    const good = Math.abs(latitude) <= 90 && longitude >= -180 && longitude <= 360;
    const turns = Math.round((this.west + this.east - 2 * longitude) / 720);
    this.show(good ? [latitude, longitude + 360 * turns] : null, 4);
    if (good) this.follow();
  }

  show(place, digits) {
    this.place = place;
    this.where.textContent = place ? this.words(place, digits) : "No place is chosen yet.";
    this.draw();
  }

  words([latitude, longitude], digits) {
    const outside = latitude < this.south || latitude > this.north || longitude < this.west || longitude > this.east;
    const pin = `${said(latitude, digits, ["north", "south"])}, ${said(longitude, digits, ["east", "west"])}`;
    return outside ? `${pin} is outside of the region that is asked about. A report can still be made.` : `The pin is at ${pin}.`;
  }

  enlarge(times) {
    this.zoom = clip(this.zoom * times, 1, MOST);
    if (this.place) this.middle = this.on(this.place);
    this.draw();
  }

  /** A place in the units of the paths. */
  on([latitude, longitude]) {
    return [(longitude - this.west) * this.narrow * this.unit, (this.north - latitude) * this.unit];
  }

  /** Where a place is in the picture. */
  seen(place) {
    return this.on(place).map((part, k) => (part - this.middle[k]) * this.scale + this.size[k] / 2);
  }

  follow() {
    const near = this.seen(this.place).some((part, k) => part < EDGE * this.size[k] || part > (1 - EDGE) * this.size[k]);
    if (near) this.middle = this.on(this.place);
    this.draw();
  }

  /** The picture is as wide as the page lets it be, and as high as the region asks for. */
  fit() {
    const wide = this.svg.parentElement.clientWidth;
    if (!wide) return; // not shown yet
    const high = Math.round(wide * clip(this.region[1] / this.region[0], 0.5, TALL));
    this.size = [wide, high];
    this.svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    this.svg.setAttribute("height", high);
    this.draw();
  }

  draw() {
    if (!this.size) return;
    this.scale = this.zoom * Math.min(this.size[0] / this.region[0], this.size[1] / this.region[1]);
    this.middle = this.middle.map((part, k) => {
      const half = this.size[k] / 2 / this.scale;
      return half * 2 >= this.region[k] ? this.region[k] / 2 : clip(part, half, this.region[k] - half);
    });
    const [x, y] = this.middle.map((part, k) => this.size[k] / 2 - part * this.scale);
    this.part("drawn").setAttribute("transform", `translate(${x} ${y}) scale(${this.scale})`);
    document.getElementById("nearer").disabled = this.zoom >= MOST;
    document.getElementById("farther").disabled = this.zoom <= 1;
    this.drawNames(x, y);
    this.drawDegrees();
    this.drawScale();
    this.drawPin();
  }

  /** Names of areas; of those that would cover each other the first, until the map is enlarged. */
  drawNames(x, y) {
    const taken = [{ x: this.size[0] - 112, y: 0, width: 112, height: 56 }]; // the buttons
    for (const name of this.part("names").children) {
      name.setAttribute("x", x + Number(name.dataset.x) * this.scale);
      name.setAttribute("y", y + Number(name.dataset.y) * this.scale - 5);
      const box = name.getBBox();
      const over = (other) => Math.abs(2 * (box.x - other.x) + box.width - other.width) < box.width + other.width
        && Math.abs(2 * (box.y - other.y) + box.height - other.height) < box.height + other.height;
      const free = !taken.some(over);
      name.setAttribute("visibility", free ? "visible" : "hidden");
      if (free) taken.push(box);
    }
  }

  drawDegrees() {
    const group = this.part("degrees");
    group.replaceChildren();
    const [wide, high] = this.size;
    const step = round((2.5 * APART) / this.scale / this.unit / this.narrow); // at least APART from line to line
    const digits = clip(Math.ceil(-Math.log10(step)), 0, 6);
    const [latitude, longitude] = this.center();
    const [up, along] = [high, wide / this.narrow].map((size) => size / 2 / this.scale / this.unit);
    const within = (low, high) => Array.from({ length: Math.max(Math.floor(high / step) - Math.ceil(low / step) + 1, 0) }, (_, k) => (Math.ceil(low / step) + k) * step);
    for (const degrees of within(Math.max(latitude - up, -90), Math.min(latitude + up, 90))) {
      const [, at] = this.seen([degrees, longitude]);
      element(group, "path", { d: `M0 ${at}H${wide}` });
      if (at > 24 && at < high - 40) element(group, "text", { x: 6, y: at - 4 }, said(degrees, digits, "NS", "°"));
    }
    for (const degrees of within(longitude - along, longitude + along)) {
      const [at] = this.seen([latitude, degrees]);
      element(group, "path", { d: `M${at} 0V${high}` });
      if (at < wide - 160) element(group, "text", { x: at + 4, y: 16 }, said(degrees, digits, "EW", "°"));
    }
  }

  drawScale() {
    const group = this.part("scale");
    group.replaceChildren();
    const metre = (this.scale * this.unit) / radians(1) / this.radius;
    const length = round((0.3 * this.size[0]) / metre);
    const [wide, high] = this.size;
    const [start, end] = [wide - 12 - length * metre, wide - 12];
    element(group, "path", { d: `M${start} ${high - 16}v6H${end}v-6` });
    const words = length >= 1000 ? `${(length / 1000).toLocaleString("en")} km` : `${length} m`;
    element(group, "text", { x: end, y: high - 22, "text-anchor": "end" }, words);
  }

  drawPin() {
    const { place } = this;
    this.svg.classList.toggle("chosen", place !== null);
    if (!place) return;
    const [x, y] = this.seen(place);
    this.part("pin").setAttribute("transform", `translate(${x} ${y})`);
    for (const ring of this.part("rings").children) {
      const size = (Number(ring.dataset.metres) / this.radius / radians(1)) * this.unit * this.scale;
      const wide = (size * this.narrow) / Math.max(Math.cos(radians(place[0])), 0.01);
      for (const [key, value] of Object.entries({ cx: x, cy: y, rx: wide, ry: size })) ring.setAttribute(key, value);
    }
  }
}
