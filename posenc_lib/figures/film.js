// A film: a picture, the pixels that change in each other frame, and sliders to choose one. It loads nothing.
// A notebook gives `render` a widget's model; the last lines do that for a page's films.

const BEAT = 40, REST = 1000; // ms per frame while playing, and at each end
const SWEEP = 45, STEP = 5; // beats from end to end, and per step if there are few
const whole = document.documentElement, media = matchMedia("(prefers-color-scheme: dark)");
const phone = matchMedia("(max-width: 600px)"); // as in film.css

function isDark() { // the notebook's own theme, if there is one
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
    // it shrinks to two thirds before the next one moves below it
    Object.assign(room.style, { flex: `${own} 1 ${0.65 * own}px`, maxWidth: `min(100%, ${own}px)` });
    room.style.setProperty("--least", `${0.9 * own}px`); // on a phone: words stay readable, and you scroll to the rest
    return room;
  });
  const pens = canvases.map(canvas => canvas.getContext("2d", { willReadFrequently: true }));
  const tops = [...new Set(cells.map(([, top]) => top))];
  const lines = tops.map(top => make("div", { class: "line" }, ...rooms.filter((_, n) => cells[n][1] === top)));
  const views = make("div", { class: "views", role: "img" }, ...lines);
  const image = el.querySelector("img"), words = el.querySelector(".words") ?? make("p", { class: "words", role: "status" });
  const caption = el.querySelector("figcaption") ?? make("figcaption");
  const fold = el.querySelector("details") ?? make("details", {}, make("summary", {}, "In words")); // screen readers hear them anyway

  function row({ name, help, values, choice, at: spots = [...values.keys()] }, n) {
    // A knob stands where its value does, among those that are left out; a hand takes it to the nearest, a key to the next.
    let here, pulled = false;
    const chosen = () => {
      if (choice) return input.selectedIndex;
      const to = Number(input.value), off = spots.map(spot => Math.abs(spot - to)), nearest = off.indexOf(Math.min(...off));
      return nearest === here && !pulled ? here + Math.sign(to - spots[here]) : nearest;
    };
    const rests = () => ((pulled = false), tell()); // said once the hand rests
    const act = { keydown: () => (pulled = false), input: () => (move(n, chosen()), pulled || tell()) };
    act.pointerdown = () => ((pulled = true), window.addEventListener("pointerup", rests, { once: true }));
    const input = make(choice ? "select" : "input", { type: "range", min: spots[0], max: spots.at(-1), autocomplete: "off", ...act });
    const value = make("output", { "aria-hidden": "true" });
    if (choice) input.append(...values.map(each => make("option", {}, each)));
    const put = at => {
      here = at;
      choice ? (input.selectedIndex = at) : (input.value = spots[at]);
      value.textContent = choice ? "" : values[at];
      input.setAttribute("aria-valuetext", values[at]);
    };
    return [make("label", { class: `row ${name}`, title: help }, make("span", {}, name), input, value), put];
  }

  function move(n, at) {
    last = n;
    place({ [n]: at }); // each slider moves alone; the others go home
    show(sliders[n].frames[at]).then(() => guess?.update());
  }

  function place(now) {
    places = now;
    rows.forEach(([one, put], n) => {
      put(places[n] ?? sliders[n].start);
      one.classList.toggle("held", n === last); // on a phone it stays next to the pictures
    });
    if (!timer) button.textContent = playing();
  }

  // what to draw first: its frame, the plots, the frame that shows them, and which are still hidden
  const answer = make("div");
  let asked = question?.plots.map(({ axes }) => axes) ?? [];
  const limits = ({ axes }) => frames[frame].axes[axes] ?? frames[0].axes[axes];
  const guess = question && drawing({
    get: name => (name === "axes" ? question.boxes : {
      asked, plots: question.plots.map(plot => ({ ...plot, xlim: limits(plot).xlim, ylim: limits(plot).ylim,
        y: asked.length || wanted === question.home ? plot.y : [] })), // elsewhere the curve is a different one
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
    if (mine < painted) return; // a later one was faster
    [painted, frame, layer] = [mine, k, image];
    paint();
    el.dataset.frame = k;
    caption.textContent = frames[k].caption ?? caption.textContent;
  }

  function paint(dark = isDark()) {
    if (!base) return; // not near the screen yet
    pens.forEach((pen, n) => {
      const [x, y, wide, high] = cells[n], [left, top] = frames[frame].at;
      pen.drawImage(base, -x, -y);
      const kept = asked.length && (asked.includes(n) || !question.plots.some(({ axes }) => axes === n)); // tables come last
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
    const { words: said = "", alt } = frames[asked.length ? 0 : wanted];
    words.textContent = said;
    views.setAttribute("aria-label", alt ?? said);
  }

  function play() { // back and forth from where it is, slow near the ends
    const { values, start } = sliders[last], most = values.length - 1;
    const beats = most < SWEEP ? Math.min(STEP * values.length, 2 * SWEEP) : SWEEP, way = beats * BEAT;
    const done = 0.5 - Math.sin(Math.asin(1 - 2 * (places[last] ?? start) / most) / 3);
    const begin = performance.now() - way * done - (done < 1 ? 0 : REST);
    button.textContent = "Pause";
    timer = setInterval(() => {
      const time = (performance.now() - begin) % (2 * (way + REST)), back = time >= way + REST;
      const part = Math.min((time % (way + REST)) / way, 1), eased = part * part * (3 - 2 * part);
      const at = Math.round(most * (back ? 1 - eased : eased));
      if (at !== (places[last] ?? start)) move(last, at);
    }, BEAT);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    button.textContent = playing();
    tell();
  }

  const playing = () => `Play ${sliders[last]?.name}`;
  const rows = sliders.map(row), button = make("button", { type: "button", click: () => (timer ? stop() : play()) });
  const named = stops.map(({ name: label, at, frame: k }) => {
    const click = () => (stop(), place(at), show(k), tell());
    return make("button", { type: "button", click }, label);
  });
  const jump = named.length ? [make("span", {}, "Jump to:")] : [];
  const buttons = sliders.length ? [make("div", { class: "buttons" }, button, ...jump, ...named)] : [];
  const controls = make("div", { class: "controls" }, ...rows.map(([one]) => one));
  for (const event of ["pointerdown", "input"]) controls.addEventListener(event, () => timer && stop());
  place({});
  el.classList.add("film");
  for (const one of [el, el.nextElementSibling]) one?.style.setProperty("--own", `${width}px`); // px that it and its code want of a page
  el.prepend(controls, ...buttons);
  image ? image.after(answer) : el.append(views, answer, caption, fold, words);
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
  events.push([window, "pageshow", () => place(places)]); // the browser may have moved sliders
  for (const [target, event, act] of events) target.addEventListener(event, act);
  return () => {
    clearInterval(timer);
    watch.disconnect();
    for (const [target, event, act] of events) target.removeEventListener(event, act);
  };
}

export default { render };

function shaped({ narrow, ...film }) { // as a phone shows it, if that's different
  if (!narrow || !phone.matches) return film;
  const { sliders, stops } = film, frames = film.frames.map((frame, k) => ({ ...frame, ...narrow.frames[k] }));
  return { ...film, ...narrow, sliders, stops, frames, question: film.question && { ...film.question, ...narrow.question } };
}

for (const el of document.querySelectorAll("figure.film")) {
  const film = JSON.parse(el.querySelector("script").textContent), parts = [...el.childNodes];
  film.frames[0].data = el.querySelector("img").src;
  const open = () => (el.replaceChildren(...parts), render({ model: { get: () => shaped(film) }, el }));
  let close = open();
  if (film.narrow) phone.addEventListener("change", () => (close(), (close = open())));
  if (parent !== window) // so the page around it can make room
    new ResizeObserver(() => parent.postMessage({ height: Math.ceil(whole.getBoundingClientRect().height) }, "*")).observe(whole);
}
