// Films: a picture, patches over it, and sliders that choose one. All of it is on the page, nothing is loaded.

const KEPT = 80; // decoded patches of a film, at most
const STEP = 300; // ms from frame to frame while it plays
const loaded = new Promise(done => (document.readyState === "loading" ? addEventListener("DOMContentLoaded", done) : done()));
const dark = matchMedia("(prefers-color-scheme: dark)");

function make(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    typeof value === "function" ? made.addEventListener(name, value) : made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

class Film {
  k = 0;
  asked = 0;
  painted = 0;
  held = [1, 0]; // the sliders last used stay in sight, two at most
  layers = new Map();

  constructor(figure, id) {
    Object.assign(this, { figure, id }, JSON.parse(figure.querySelector("script").textContent));
    [this.image, this.words, this.caption] = ["img", ".words", "figcaption"].map(part => figure.querySelector(part));
    loaded.then(() => (this.frames = JSON.parse(document.querySelectorAll("script.frames")[id].textContent)));
    this.darker = new Map(this.colors);
    this.canvases = this.cuts.map(([, , width, height]) => make("canvas", { width, height }));
    this.pens = this.canvases.map(canvas => canvas.getContext("2d", { willReadFrequently: true }));
    this.views = make("div", { class: "views", role: "img", hidden: "" }, ...this.canvases);
    new ResizeObserver(() => this.fit()).observe(figure);
    figure.style.maxWidth = `${Number(this.image.getAttribute("width")) + 9}px`; // and its padding
    this.rows = this.sliders.map((slider, n) => this.row(slider, n));
    this.button = make("button", { type: "button", click: () => (this.timer ? this.stop() : this.play()) }, "Play");
    const named = this.together.map(({ name, at, frame }) => {
      const click = () => (this.stop(), this.place(at), this.show(frame), this.tell());
      return make("button", { type: "button", click }, name);
    });
    const buttons = this.rows.length ? [make("div", { class: "buttons" }, this.button, ...named)] : [];
    figure.prepend(...this.rows, ...buttons, this.views);
    for (const event of ["pointerdown", "input"])
      figure.addEventListener(event, ({ target }) => target.closest(".row") && this.timer && this.stop());
    this.place({});
    this.hold(0);
    new IntersectionObserver((seen, observer) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) observer.disconnect(), this.begin();
    }, { rootMargin: "600px" }).observe(this.image);
  }

  row({ name, help, values, choice }, n) {
    const kind = { name: `${this.id}-${n}`, type: choice ? "radio" : "range", autocomplete: "off" };
    if (choice) {
      const radios = values.map((_, at) => make("input", { ...kind, change: () => (this.move(n, at), this.tell()) }));
      this.sliders[n].put = at => (radios[at].checked = true);
      const labels = radios.map((radio, at) => make("label", {}, radio, values[at]));
      return make("div", { class: "row", role: "radiogroup", "aria-label": name, title: help }, make("span", {}, name), ...labels);
    }
    const act = { input: () => this.move(n, Number(input.value)), change: () => this.tell() }; // said once the hand rests
    const input = make("input", { ...kind, min: 0, max: values.length - 1, ...act }), value = make("output", { "aria-hidden": "true" });
    this.sliders[n].put = at => {
      input.value = at;
      value.textContent = values[at];
      input.setAttribute("aria-valuetext", values[at]);
    };
    return make("label", { class: "row", title: help }, make("span", {}, name), input, value);
  }

  fit() { // views stay side by side as long as they can be read
    const part = (this.figure.clientWidth - 8) / this.image.getAttribute("width"), fits = part > 0.65 && part < 1 ? part : 1;
    this.canvases.forEach((canvas, n) => (canvas.style.width = `${Math.floor((this.cuts[n][2] / this.scale) * fits * 100) / 100}px`));
  }

  move(n, at) {
    this.place({ [n]: at }); // each slider moves alone, the others go home
    this.hold(n);
    this.show(this.sliders[n].frames[at]);
  }

  place(places) {
    this.places = places;
    this.sliders.forEach((slider, n) => slider.put(places[n] ?? slider.start));
  }

  hold(n) {
    this.held = [...new Set([n, ...this.held])].slice(0, 2);
    let top = 0;
    this.rows.forEach((row, k) => {
      row.classList.toggle("held", this.held.includes(k));
      row.style.top = `${top}px`;
      if (this.held.includes(k)) top += row.offsetHeight;
    });
  }

  async show(k) {
    const mine = ++this.asked;
    this.k = k;
    await loaded;
    const { at, data } = this.frames[k];
    let image = this.layers.get(k);
    if (data && !image) {
      image = Object.assign(new Image(), { src: data });
      await image.decode();
    }
    if (mine < this.painted) return; // a later one was quicker
    this.painted = mine;
    this.layers.delete(k);
    this.layers.set(k, image);
    if (this.layers.size > KEPT) this.layers.delete(this.layers.keys().next().value);
    this.patch = [image, ...at];
    this.paint();
    this.figure.dataset.frame = k;
  }

  paint(light = !dark.matches) {
    if (!this.patch) return; // nobody has come near it yet
    const [image, left, top] = this.patch;
    this.pens.forEach((pen, n) => {
      const [x, y, width, height] = this.cuts[n];
      pen.drawImage(this.image, -x, -y);
      if (image) pen.drawImage(image, left - x, top - y);
      if (light) return;
      const pixels = pen.getImageData(0, 0, width, height), flat = new Uint32Array(pixels.data.buffer);
      let last, becomes;
      for (let k = 0; k < flat.length; k++) {
        if (flat[k] !== last) becomes = this.darker.get((last = flat[k])) ?? last;
        flat[k] = becomes;
      }
      pen.putImageData(pixels, 0, 0);
    });
  }

  async begin() {
    await this.image.decode();
    await this.show(this.k);
    this.tell();
    [this.image.hidden, this.views.hidden] = [true, false];
  }

  async tell() {
    await loaded;
    const { words, alt, caption } = this.frames[this.k];
    this.words.textContent = words;
    this.views.setAttribute("aria-label", alt ?? words);
    if (caption) this.caption.textContent = caption;
  }

  play() {
    const n = this.held[0], { values, start } = this.sliders[n];
    this.button.textContent = "Pause";
    this.timer = setInterval(() => this.move(n, ((this.places[n] ?? start) + 1) % values.length), STEP);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.button.textContent = "Play";
    this.tell();
  }
}

if (matchMedia("(max-width: 600px)").matches) // what code prints comes first where there is little room
  for (const code of document.querySelectorAll("details.code")) code.open = false;
const films = [...document.querySelectorAll("figure.film")].map((figure, k) => new Film(figure, k));
const paint = light => films.forEach(film => film.paint(light));
dark.addEventListener("change", () => paint());
addEventListener("beforeprint", () => paint(true));
addEventListener("afterprint", () => paint());
addEventListener("pageshow", () => films.forEach(film => film.place(film.places))); // a browser may have moved sliders
if (parent !== window) // the page around it may make room
  new ResizeObserver(() => parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().height) }, "*")).observe(document.body);
