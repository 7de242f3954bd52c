// A picture that keeps a curve back until a reader has drawn it: the drawing, and how far it is from the truth.

const within = (value, low, high) => Math.min(Math.max(value, low), high);
const KEYS = 40; // steps of an arrow key from one end of an axis to the other
const TURN = 0.05; // of an axis, which a curve must go to count as rising or falling
const LATE = 0.1; // of the places, by which half of a stretch may come sooner or later
const FEW = 3; // stretches that are told one by one
const MANY = 10; // turns that nobody counts: how many are found depends on the places that are drawn
const BARS = 8; // places, as those of bars, that are told one by one
const written = value => // 1,340,000, 0.25
  (Math.abs(value) < 1000 ? String(Number(value.toPrecision(3)))
    : value.toLocaleString("en-US", { maximumSignificantDigits: 3 })).replace("-", "−");
const isLog = (plot, axis) => plot.log.includes(axis);

const named = ({ x, labels }, at) =>
  labels?.[x.indexOf(at)] ?? (Number.isInteger(at) ? at.toLocaleString("en-US").replace("-", "−") : written(at));

function runs(points, least) {
  // Where a curve rises and where it falls by so much at least: each stretch's way, its first x and where half is gone.
  const found = [];
  let end = points[0]; // of the stretch so far
  for (const point of points) {
    const last = found.at(-1), step = point[1] - end[1];
    if (last && step * last.way > 0) last.to = end = point;
    else if (Math.abs(step) > least) found.push({ way: Math.sign(step), from: end, to: point }), (end = point);
  }
  const half = ({ way, from, to }) => points.find(([x, y]) => x >= from[0] && (2 * y - from[1] - to[1]) * way >= 0)[0];
  return found.map(run => ({ way: run.way, from: run.from[0], half: half(run) }));
}

function shape(plot, mine, truth) {
  // In words how a drawing goes and how the truth does; where both go alike, whether as soon.
  // On a logarithmic axis ways and halves are those that are seen, of the logarithm.
  const seen = y => (isLog(plot, "y") ? Math.log(Math.max(y, Number.MIN_VALUE)) : y), [low, high] = plot.ylim.map(seen);
  const found = points => runs(points.map(([x, y]) => [x, seen(y)]), TURN * Math.abs(high - low));
  const [drawn, real] = [found(mine), found(truth)];
  const verb = ({ way }) => (way > 0 ? "rises" : "falls"), at = x => named(plot, x);
  const often = runs => (runs.length > MANY ? "many" : runs.length - 1);
  const turns = runs => `${verb(runs[0])} first and turns ${often(runs)} times`;
  const stretches = runs => runs.map((run, k) => (k ? `${verb(run)} from ${at(run.from)}` : verb(run))).join(", then ");
  const goes = runs => (runs.length > FEW ? turns(runs) : stretches(runs) || "stays as it is");
  if (drawn.length > FEW && goes(drawn) === goes(real)) return `It ${goes(real)}, as you drew.`;
  if (drawn.map(verb).join() !== real.map(verb).join()) return `You expected that it ${goes(drawn)}; it ${goes(real)}.`;
  const late = real.map((run, k) => plot.x.indexOf(run.half) - plot.x.indexOf(drawn[k].half));
  const most = Math.max(0, ...late.map(Math.abs)), k = late.map(Math.abs).indexOf(most);
  if (most <= LATE * plot.x.length) return `It ${goes(real)}, as you drew.`;
  const places = `half-way at ${at(real[k].half)}, yours at ${at(drawn[k].half)}`;
  return `It ${goes(real)}, as you drew, but ${late[k] < 0 ? "sooner" : "later"}: ${places}.`;
}

function told(plot, drawn) {
  // How far a drawing, [x, y] by [x, y], is from the truth at the same places: its shape, then its distance.
  const truth = drawn.map(([x]) => [x, plot.y[plot.x.indexOf(x)]]);
  const one = ([x, y], k) => `${named(plot, x)}: you drew ${written(y)}, it is ${written(truth[k][1])}`;
  if (plot.x.length <= BARS) return `${plot.counts}${drawn.map(one).join("; ")}.`;
  const [much, off] = isLog(plot, "y") ? factors(drawn, truth) : distances(drawn, truth);
  const most = off.indexOf(Math.max(...off)), [x, y] = drawn[most];
  const where = `most at ${plot.counts}${named(plot, x)}, where you drew ${written(y)} and it is ${written(truth[most][1])}`;
  const ends = [drawn[0], drawn.at(-1)].map(([x]) => named(plot, x));
  const part = drawn.length < plot.x.length ? ` This is from ${ends.join(" to ")}, as far as you drew.` : "";
  return `${shape(plot, drawn, truth)} On average you were ${much} (${plot.unit.split(/[,:]/)[0]}), ${where}.${part}`;
}

const average = values => values.reduce((sum, value) => sum + value, 0) / values.length;

function distances(drawn, truth) {
  // How far off a drawing is in words, and at each place.
  const off = drawn.map(([, y], k) => Math.abs(y - truth[k][1]));
  return [`${written(average(off))} off`, off];
}

function factors(drawn, truth) {
  // The same on a logarithmic axis, where equal steps are equal factors.
  const seen = y => Math.log(Math.max(y, Number.MIN_VALUE));
  const parts = drawn.map(([, y], k) => (truth[k][1] > 0 ? seen(y) - seen(truth[k][1]) : 0));
  const off = parts.map(Math.abs), times = written(Math.exp(average(off)));
  const way = parts.every(part => part >= 0) ? "too high" : parts.every(part => part <= 0) ? "too low" : "too high or too low";
  return [times === "1" ? "next to nothing off" : `${times} times ${way}`, off];
}

function stored(act) {
  // Do something with what the reader's browser keeps; it may keep nothing, as in a private window or on a full disk.
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}

function nameOf(plots) {
  // What a drawing is kept by: its page, and a number (FNV-1a) of what is to be drawn there.
  const page = location.pathname + (new URLSearchParams(location.search).get("path") ?? "");
  const truth = JSON.stringify(plots.map(({ name, x, y, xlim, ylim }) => [name, x, y, xlim, ylim]));
  const number = [...truth].reduce((hash, letter) => Math.imul(hash ^ letter.codePointAt(), 0x01000193), 0x811c9dc5);
  return `posenc-drawing ${page} ${(number >>> 0).toString(16)}`;
}

function drawing(model, root, canvases, repaint) {
  // What a reader expects, drawn over a picture that keeps it back; it stays in this browser. There is one canvas for all
  // plots, or one for each.
  const lines = new Map(); // of each plot what is drawn: y by x
  let shown = null, verdict = ""; // the truth that the drawing is compared with, and how far off it is
  let entry; // the name by which the browser keeps the drawing
  let held = null, key = null; // the plot that a hand draws in; the plot and the place among its x that were last used
  const make = (tag, about = {}, ...inside) => {
    const made = Object.assign(document.createElement(tag), about);
    return made.append(...inside), made;
  };
  const [ask, label, said] = [make("span"), make("span"), make("p", { role: "status" })];
  const value = make("input", { type: "number", step: "any" }), at = make("label", {}, " ", label, " ", value, " ");
  const [showing, again] = ["Show", "Again"].map(name => make("button", { type: "button" }, name));
  const row = make("div", { className: "posenc-guess" }, ask, at, showing, " ", again, said);
  root.append(row);
  const plots = () => model.get("guess").plots, asked = () => Boolean(model.get("guess").asked);
  const on = plot => canvases[plot.axes] ?? canvases[0], box = plot => model.get("axes")[plot.axes].box;
  const drawn = plot => lines.get(plot.axes) ?? new Map();
  const part = (x, [a, b], log) => (log ? Math.log(x / a) / Math.log(b / a) : (x - a) / (b - a));
  const whole = (t, [a, b], log) => (log ? a * (b / a) ** t : a + t * (b - a));
  const scaled = plot => [[plot.xlim, plot.log.includes("x")], [plot.ylim, plot.log.includes("y")]];
  const put = ({ plot, place }, y) => lines.set(plot.axes, drawn(plot).set(plot.x[place], y));
  const line = plot => {
    // The drawing at each x from its first to its last place, with straight lines between them.
    const knots = [...drawn(plot)].sort(([a], [b]) => a - b);
    let k = 0;
    return plot.x.filter(x => knots.length && x >= knots[0][0] && x <= knots.at(-1)[0]).map(x => {
      while (knots[k + 1]?.[0] <= x) k++;
      if (!knots[k + 1] || x === knots[k][0]) return [x, knots[k][1]];
      // straight lines as they are seen, on whatever axes
      const [along, up] = scaled(plot), [a, b, t] = [knots[k][0], knots[k + 1][0], x].map(at => part(at, ...along));
      const [y, z] = [knots[k][1], knots[k + 1][1]].map(at => part(at, ...up));
      return [x, whole(y + ((z - y) * (t - a)) / (b - a), ...up)];
    });
  };
  const over = (pen, canvas) => {
    const dots = canvas.width / canvas.clientWidth || 1;
    for (const plot of plots().filter(plot => on(plot) === canvas)) {
      const [left, top, right, bottom] = box(plot), [across, up] = scaled(plot);
      const spot = ([x, y]) => [
        (left + (right - left) * part(x, ...across)) * canvas.width,
        (bottom - (bottom - top) * part(y, ...up)) * canvas.height];
      pen.save();
      pen.beginPath();
      pen.rect(left * canvas.width, top * canvas.height, (right - left) * canvas.width, (bottom - top) * canvas.height);
      pen.clip();
      pen.strokeStyle = pen.fillStyle = getComputedStyle(row).color;
      [pen.globalAlpha, pen.lineWidth, pen.lineJoin, pen.lineCap] = [asked() ? 1 : 0.4, 3 * dots, "round", "round"];
      pen.beginPath();
      for (const point of line(plot)) pen.lineTo(...spot(point));
      pen.stroke();
      const x = plot.x[key?.place], y = drawn(plot).get(x);
      if (asked() && key?.plot.axes === plot.axes && y !== undefined)
        pen.beginPath(), pen.arc(...spot([x, y]), 6 * dots, 0, 7), pen.fill();
      pen.restore();
    }
  };
  const compare = (every, done) => {
    // Say once how far off the drawing is; when sliders have moved, that it was for another curve.
    const truth = JSON.stringify(every.map(plot => plot.y)), name = plot => (plot.name && done[1] ? `${plot.name}: ` : "");
    if (!shown) [shown, verdict] = [truth, done.map(plot => name(plot) + told(plot, line(plot))).join(" ")];
    said.textContent = truth === shown ? verdict : "Your drawing (grey) was for the curve as it was at first.";
  };
  const keep = shown => {
    const drawn = { shown, lines: [...lines].map(([axes, knots]) => [axes, [...knots]]) };
    stored(there => there.setItem(entry, JSON.stringify(drawn)));
  };
  const remember = () => {
    // What was drawn when the page was open before; if it has been compared, that is done again.
    entry = nameOf(plots());
    const before = stored(there => JSON.parse(there.getItem(entry)));
    for (const [axes, knots] of before?.lines ?? []) lines.set(axes, new Map(knots));
    if (before?.shown && asked()) tell(true);
  };
  const update = () => {
    if (!entry) remember();
    const every = plots(), done = every.filter(plot => line(plot).length > 1);
    key ??= { plot: every[0], place: 0 };
    for (const canvas of every.map(on)) {
      canvas.tabIndex = asked() ? 0 : -1;
      if (asked()) canvas.style.touchAction = "pan-y"; // up and down a finger scrolls the page
    }
    const next = every.find(plot => plot.x.length > 1 && !done.includes(plot)); // what is not drawn yet would be given away
    ask.textContent = asked() ? "Drag across the picture and draw what you expect, or use the arrow keys." : "";
    if (asked() && done.length && next) ask.textContent = `Now draw in the other picture, too: ${next.name}.`;
    at.hidden = showing.hidden = !asked();
    showing.disabled = Boolean(next);
    again.hidden = !lines.size;
    const x = key.plot.x[key.place];
    label.textContent = `${key.plot.labels && !key.plot.counts ? "" : "At "}${key.plot.counts}${named(key.plot, x)}`;
    if (document.activeElement !== value) value.value = drawn(key.plot).get(x)?.toPrecision(3) ?? "";
    if (asked()) [said.textContent, shown] = ["", null];
    else compare(every, done);
    repaint();
  };
  const move = (event, first) => {
    const canvas = event.currentTarget, frame = canvas.getBoundingClientRect();
    const [across, down] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    if (first) {
      const away = ([left, top, right, bottom]) =>
        Math.max(left - across, across - right, 0) + Math.max(top - down, down - bottom, 0);
      const here = plots().filter(plot => on(plot) === canvas), far = here.map(plot => away(box(plot)));
      const nearest = Math.min(...far);
      held = event.pointerType === "touch" && nearest > 0 ? null : here[far.indexOf(nearest)]; // beside it a finger scrolls
      if (!held) return;
      canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
    }
    const [left, top, right, bottom] = box(held), [along, up] = scaled(held);
    const x = whole(within((across - left) / (right - left), 0, 1), ...along);
    const y = whole(within((bottom - down) / (bottom - top), 0, 1), ...up);
    const place = held.x.reduce((best, one, k) => (Math.abs(one - x) < Math.abs(held.x[best] - x) ? k : best), 0);
    if (!first) // what a quick hand has passed over is drawn anew, too
      for (let k = Math.min(key.place, place) + 1; k < Math.max(key.place, place); k++) drawn(held).delete(held.x[k]);
    key = { plot: held, place };
    put(key, y);
    update();
  };
  const press = event => {
    const [across, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [];
    if (!asked() || across === undefined) return;
    const here = plots().find(one => on(one) === event.currentTarget);
    if (on(key.plot) !== event.currentTarget && here) key = { plot: here, place: 0 };
    event.preventDefault();
    event.stopPropagation(); // a notebook would go to another cell
    const { plot, place } = key, [, scale] = scaled(plot), now = drawn(plot).get(plot.x[place]) ?? whole(0.5, ...scale);
    if (across) put(key, now);
    key = { plot, place: within(place + across * Math.ceil(plot.x.length / KEYS), 0, plot.x.length - 1) };
    put(key, whole(within(part(now, ...scale) + up / KEYS, 0, 1), ...scale));
    keep(false);
    update();
  };
  for (const canvas of canvases) {
    canvas.addEventListener("pointerdown", event => asked() && !event.button && move(event, true));
    canvas.addEventListener("pointermove", event => held && move(event, false));
    canvas.addEventListener("touchmove", event => held && event.preventDefault(), { passive: false }); // nor scrolls
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => held && (keep(false), (held = null)));
    canvas.addEventListener("keydown", press);
  }
  value.addEventListener("change", () => value.value !== "" && (put(key, Number(value.value)), keep(false), update()));
  value.addEventListener("keydown", event => event.key === "Enter" && (event.stopPropagation(), value.blur(), value.focus())); // not the notebook's
  const tell = answered => (model.set("answered", answered), model.save_changes());
  showing.addEventListener("click", () => (keep(true), tell(true)));
  again.addEventListener("click", () => {
    stored(there => there.removeItem(entry));
    lines.clear();
    key = null;
    tell(false);
    entry = nameOf(plots()); // sliders have moved
    update();
  });
  return { over, update };
}
