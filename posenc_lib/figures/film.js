// A film: a picture, the pixels that differ in each other frame, and sliders that choose one. Nothing is loaded.
// A notebook gives `render` a widget's model; the last lines do so for the films of a page.

const STEP = 300; // ms from frame to frame while it plays
const whole = document.documentElement, media = matchMedia("(prefers-color-scheme: dark)");

function isDark() { // the notebook's own theme, where there is one
  const { dataset, classList } = document.body;
  if (dataset.jpThemeLight) return dataset.jpThemeLight === "false";
  return media.matches || classList.contains("vscode-dark") || whole.getAttribute("theme") === "dark";
}

function make(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    typeof value === "function" ? made.addEventListener(name, value) : made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

async function picture(data) {
  const image = Object.assign(new Image(), { src: data });
  await image.decode();
  return image;
}

function render({ model, el }) {
  const { width, scale, cells, colors, sliders, stops, frames, question } = model.get("film");
  const darker = new Map(colors);
  let base, layer, frame = 0, wanted = 0, newest = 0, painted = 0, places = {}, last = 0, timer = null;

  const canvases = cells.map(([, , wide, high]) => make("canvas", { width: wide, height: high }));
  const rooms = canvases.map(canvas => {
    const room = make("div", {}, canvas), own = canvas.width / scale;
    // beside others it shrinks to two thirds before one goes below the other
    Object.assign(room.style, { flex: `${own} 1 ${0.65 * own}px`, maxWidth: `min(100%, ${own}px)` });
    return room;
  });
  const pens = canvases.map(canvas => canvas.getContext("2d", { willReadFrequently: true }));
  const tops = [...new Set(cells.map(([, top]) => top))];
  const lines = tops.map(top => make("div", { class: "line" }, ...rooms.filter((_, n) => cells[n][1] === top)));
  const views = make("div", { class: "views", role: "img" }, ...lines);
  const image = el.querySelector("img"), words = el.querySelector(".words") ?? make("p", { class: "words", role: "status" });
  const caption = el.querySelector("figcaption") ?? make("figcaption");

  function row({ name, help, values, choice }, n) {
    const act = { input: () => move(n, Number(choice ? input.selectedIndex : input.value)), change: tell }; // said once the hand rests
    const input = make(choice ? "select" : "input", { type: "range", min: 0, max: values.length - 1, autocomplete: "off", ...act });
    const value = make("output", { "aria-hidden": "true" });
    if (choice) input.append(...values.map(each => make("option", {}, each)));
    const put = at => {
      choice ? (input.selectedIndex = at) : (input.value = at);
      value.textContent = choice ? "" : values[at];
      input.setAttribute("aria-valuetext", values[at]);
    };
    return [make("label", { class: "row", title: help }, make("span", {}, name), input, value), put];
  }

  function move(n, at) {
    place({ [n]: at }); // each slider moves alone, the others go home
    last = n;
    show(sliders[n].frames[at]).then(() => guess?.update());
  }

  function place(now) {
    places = now;
    rows.forEach(([, put], n) => put(places[n] ?? sliders[n].start));
  }

  // what a reader is to draw first: its frame, the plots, the frame that shows them, and which are still kept back
  const answer = make("div");
  let asked = question?.plots.map(({ axes }) => axes) ?? [];
  const limits = ({ axes }) => frames[frame].axes[axes] ?? frames[0].axes[axes];
  const guess = question && drawing({
    get: name => (name === "axes" ? question.boxes : {
      asked, plots: question.plots.map(plot => ({ ...plot, xlim: limits(plot).xlim, ylim: limits(plot).ylim,
        y: asked.length || wanted === question.home ? plot.y : [] })), // elsewhere another curve is shown
    }),
    set: (_, shown) => {
      asked = question.plots.map(({ axes }) => axes).filter(axes => !shown.includes(axes));
      controls.inert = button.disabled = asked.length > 0;
      place({});
      show(shown.length ? question.home : 0).then(tell).then(guess.update);
    },
    save_changes: () => {},
  }, answer, canvases, () => paint());

  async function show(k) {
    const mine = ++newest, { data } = frames[k];
    wanted = k;
    const image = k && data ? await picture(data) : null;
    base ??= await picture(frames[0].data);
    if (mine < painted) return; // a later one was quicker
    [painted, frame, layer] = [mine, k, image];
    paint();
    el.dataset.frame = k;
  }

  function paint(dark = isDark()) {
    if (!base) return; // nobody has come near it yet
    pens.forEach((pen, n) => {
      const [x, y, wide, high] = cells[n], [left, top] = frames[frame].at;
      pen.drawImage(base, -x, -y);
      const kept = asked.length && (asked.includes(n) || !question.plots.some(({ axes }) => axes === n)); // tables to the last
      if (layer && !kept) pen.drawImage(layer, left - x, top - y);
      if (!dark) return guess?.over(pen, canvases[n]);
      const pixels = pen.getImageData(0, 0, wide, high), flat = new Uint32Array(pixels.data.buffer);
      let before, becomes;
      for (let k = 0; k < flat.length; k++) {
        if (flat[k] !== before) becomes = darker.get((before = flat[k])) ?? before;
        flat[k] = becomes;
      }
      pen.putImageData(pixels, 0, 0);
      guess?.over(pen, canvases[n]);
    });
  }

  function tell() {
    const { words: said = "", alt, caption: below } = frames[asked.length ? 0 : wanted];
    words.textContent = said;
    views.setAttribute("aria-label", alt ?? said);
    if (below) caption.textContent = below;
  }

  function play() {
    const { values, start } = sliders[last];
    button.textContent = "Pause";
    timer = setInterval(() => move(last, ((places[last] ?? start) + 1) % values.length), STEP);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    button.textContent = "Play";
    tell();
  }

  const rows = sliders.map(row), button = make("button", { type: "button", click: () => (timer ? stop() : play()) }, "Play");
  const named = stops.map(({ name: label, at, frame: k }) => {
    const click = () => (stop(), place(at), show(k), tell());
    return make("button", { type: "button", click }, label);
  });
  const buttons = sliders.length ? [make("div", { class: "buttons" }, button, ...named)] : [];
  const controls = make("div", { class: "controls" }, ...rows.map(([one]) => one));
  for (const event of ["pointerdown", "input"]) controls.addEventListener(event, () => timer && stop());
  place({});
  el.classList.add("film");
  el.style.maxWidth = `${width}px`;
  el.prepend(controls, ...buttons);
  image ? image.after(answer) : el.append(views, answer, words, caption);
  if (guess) controls.inert = button.disabled = true, guess.update();
  const watch = new IntersectionObserver(async seen => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    watch.disconnect();
    await show(wanted);
    tell();
    image?.replaceWith(views);
  }, { rootMargin: "600px" });
  watch.observe(el);
  const events = [[media, "change", () => paint()], [window, "beforeprint", () => paint(false)], [window, "afterprint", () => paint()]];
  events.push([window, "pageshow", () => place(places)]); // a browser may have moved sliders
  for (const [target, event, act] of events) target.addEventListener(event, act);
  return () => {
    clearInterval(timer);
    watch.disconnect();
    for (const [target, event, act] of events) target.removeEventListener(event, act);
  };
}

export default { render };

for (const el of document.querySelectorAll("figure.film")) {
  const film = JSON.parse(el.querySelector("script").textContent);
  film.frames[0].data = el.querySelector("img").src;
  render({ model: { get: () => film }, el });
  if (parent !== window) // the page around it may make room
    new ResizeObserver(() => parent.postMessage({ height: Math.ceil(whole.getBoundingClientRect().height) }, "*")).observe(whole);
}
if (matchMedia("(max-width: 600px)").matches) // what code prints comes first where there is little room
  for (const code of document.querySelectorAll("details.code")) code.open = false;
