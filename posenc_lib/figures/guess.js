// A picture that hides a curve until the reader draws it: the drawing, and how far off it is.

const within = (value, low, high) => Math.min(Math.max(value, low), high);
const KEYS = 40; // arrow-key steps from one end of an axis to the other
const TURN = 0.08; // of an axis: a curve must go this far to count as rising or falling
const FAR = 0.36; // of an axis: a drawing that's off by more, on average, hasn't got the shape
const RIPPLE = 0.25; // of an axis: swings this large can be ripples on a curve that rises or falls, larger ones can't
const LATE = 0.1; // of the places: halfway through a stretch can be this much sooner or later
const FEW = 3; // stretches to describe one by one
const BESIDE = 0.02; // of a picture: how far a finger can miss a plot
const BARS = 8; // places at most to report only the best and worst guess, usually bars
const written = (value, digits = 3) => // 1,340,000, 0.25
  (Math.abs(value) < 1000 ? String(Number(value.toPrecision(digits)))
    : value.toLocaleString("en-US", { maximumSignificantDigits: digits })).replace("-", "−");
const isLog = (plot, axis) => plot.log.includes(axis);

function read(plot, value) {
  // A number as precisely as anyone can draw it.
  const step = 10 ** Math.floor(Math.log10(Math.abs(plot.ylim[1] - plot.ylim[0]))) / 100;
  return isLog(plot, "y") ? written(value, 2) : written(Math.round(value / step) * step || 0);
}

const named = ({ x, labels }, at) =>
  labels?.[x.indexOf(at)] ?? (Number.isInteger(at) ? at.toLocaleString("en-US").replace("-", "−") : written(at));

function runs(points, least) {
  // Where a curve rises or falls by at least this much: each stretch's direction, first x, halfway x, and last point.
  const found = [];
  let end = points[0]; // of the stretch so far
  for (const point of points) {
    const last = found.at(-1), step = point[1] - end[1];
    if (last && step * last.way > 0) last.to = end = point;
    else if (Math.abs(step) > least) found.push({ way: Math.sign(step), from: end, to: point }), (end = point);
  }
  const half = ({ way, from, to }) => points.find(([x, y]) => x >= from[0] && (2 * y - from[1] - to[1]) * way >= 0)[0];
  return found.map(run => ({ way: run.way, from: run.from[0], half: half(run), to: run.to }));
}

function course(points, height) {
  // A curve's stretches; if there are many, without the ripples on it; null if it only swings, by much or by little.
  for (let least = TURN; least <= RIPPLE; least += TURN) {
    const found = runs(points, least * height);
    if (found.length <= FEW) return found.length || least === TURN ? Object.assign(found, { ripples: least > TURN }) : null;
  }
  return null;
}

function highest(points, height) {
  // The x of a peak that's higher than all others, by as much as the eye sees; null if there is none.
  const tops = runs(points, TURN * height).filter(({ way }) => way > 0).map(({ to }) => to).sort((a, b) => b[1] - a[1]);
  return tops.length && tops[0][1] - Math.max(points[0][1], tops[1]?.[1] ?? -Infinity) > TURN * height ? tops[0][0] : null;
}

function shape(plot, mine, truth) {
  // In words, what the true curve does and what the drawing did; if both do the same, whether as soon.
  // On a logarithmic axis, directions and halves are the logarithm's: what you see.
  const seen = y => (isLog(plot, "y") ? Math.log(Math.max(y, Number.MIN_VALUE)) : y), [low, high] = plot.ylim.map(seen);
  const found = (points, how = course, part = 1) => how(points.map(([x, y]) => [x, seen(y)]), part * Math.abs(high - low));
  const real = found(truth), level = real?.length === 0; // missed by the smallest swings
  const drawn = found(mine, course, level ? 0.5 : 1), top = real ? null : found(truth, highest), ways = runs => runs?.map(({ way }) => way).join() ?? "swings";
  const goes = (runs, level, [up, down], swings) => {
    const stretch = ({ way, from }, k) => `${way > 0 ? up : down}${k ? ` from a ${turns(way)} at ${named(plot, from)}` : ""}`;
    return runs ? runs.map(stretch).join(", then ") || level : `${swings} up and down all the way`;
  };
  const flat = mine.length < plot.x.length ? `stays level from ${named(plot, mine[0][0])} to ${named(plot, mine.at(-1)[0])}` : "stays level";
  const it = goes(real, flat, ["rises", "falls"], "swings") + (real?.ripples ? ", with ripples" : top === null ? "" : `, and its highest peak is at ${named(plot, top)}`);
  const apart = average(mine.map(([, y], k) => Math.abs(seen(y) - seen(truth[k][1])))) / Math.abs(high - low);
  if (apart < TURN / 2 && (!level || drawn?.length === 0)) return `You got the shape: it ${it}.`;
  if (drawn?.length && ways(real).startsWith(`${ways(drawn)},`))
    return `It ${it.split(", then ").map((part, k) => (k === drawn.length ? `as you drew, but then ${part}` : part)).join(", then ").replace(", then as", ", as")}.`;
  if (top !== null && ways(drawn) === "1,-1" && near(plot, away(plot, top, drawn[1].from))) return `You got the peak at ${named(plot, top)}, but on its sides the curve swings up and down.`;
  if (ways(drawn) !== ways(real)) {
    const only = real?.length && ways(drawn).startsWith(ways(real)) ? "only " : "";
    return `You drew it ${goes(drawn, "level", ["rising", "falling"], "swinging")}, but it ${only}${it}.`;
  }
  if (!real) return `You got the shape: it ${it}.`;
  const [far, k] = farthest(plot, real, drawn, "from"); // a peak is told by its place, and then by its width
  if (far) return `You got the shape, but its ${turns(real[k].way)} comes ${far < 0 ? "sooner" : "later"}: it's at ${named(plot, real[k].from)}, yours is at ${named(plot, drawn[k].from)}.`;
  const [late, most] = farthest(plot, real, drawn, "half");
  const mean = points => average(points.map(([, y]) => seen(y)));
  if (!late) return apart < FAR ? `You got the shape: it ${it}.` : `It ${it}, as you drew, but much ${mean(truth) > mean(mine) ? "higher" : "lower"}.`;
  if (real.length === 2) {
    const reach = ([a, b]) => `from ${named(plot, a.half)} to ${named(plot, b.half)}`, wide = ([a, b]) => away(plot, b.half, a.half);
    const how = wide(real) < wide(drawn) ? "narrower" : wide(real) > wide(drawn) ? "wider" : "shifted";
    return `You got the shape, but its ${turns(real[1].way)} at ${named(plot, real[1].from)} is ${how}: halfway it reaches ${reach(real)}, yours ${reach(drawn)}.`;
  }
  const [verb, drew] = real[most].way > 0 ? ["rises", "rising"] : ["falls", "falling"], when = late < 0 ? "sooner" : "later";
  const much = apart < FAR ? `You got the shape, but it ${verb} ${when}` : `You drew it ${drew}, but it ${verb} much ${when}`;
  return `${much}: it's halfway at ${named(plot, real[most].half)}, yours is at ${named(plot, drawn[most].half)}.`;
}

const turns = way => (way < 0 ? "peak" : "low"); // where a stretch in this direction begins, after one in the other

const away = ({ x }, a, b) => x.indexOf(a) - x.indexOf(b); // in places
const near = ({ x }, places, late = LATE) => Math.abs(places) <= late * x.length;

function farthest(plot, real, drawn, what) {
  // By how many places, and in which stretch, a drawing is most off; 0 if that's close enough.
  const late = real.map((run, k) => away(plot, run[what], drawn[k][what])), off = late.map(Math.abs);
  const k = off.indexOf(Math.max(...off));
  return [near(plot, late[k] ?? 0, what === "from" ? LATE / 2 : LATE) ? 0 : late[k], k]; // a peak's place is seen best
}

function told(plot, drawn, brief = false) {
  // How far a drawing, a list of [x, y], is from the truth at the same places: its shape, its distance and, unless
  // brief, the worst place.
  const truth = drawn.map(([x]) => [x, plot.y[plot.x.indexOf(x)]]);
  const values = k => `you drew ${read(plot, drawn[k][1])} and it's ${read(plot, truth[k][1])}`;
  const [much, off] = isLog(plot, "y") ? factors(drawn, truth) : distances(plot, drawn, truth);
  const guessed = [...drawn.keys()].filter(k => drawn[k][0] !== plot.x[plot.known]).sort((a, b) => off[a] - off[b]);
  const [least, most] = [guessed[0], guessed.at(-1)], at = k => `${plot.counts}${named(plot, drawn[k][0])}`;
  if (plot.x.length <= BARS && least === most) return `For ${at(most)} ${values(most)}.`;
  if (plot.x.length <= BARS) return `Closest: ${at(least)}, where ${values(least)}. Farthest off: ${at(most)}, where ${values(most)}.`;
  if (!much) return `${shape(plot, drawn, truth)} You were spot on.`;
  const part = drawn.length < plot.x.length ? `From ${at(0)} to ${named(plot, drawn.at(-1)[0])} you were` : "You were";
  return `${shape(plot, drawn, truth)} ${part} ${much} on average${brief ? "" : `, most at ${at(most)}: ${values(most)}`}.`;
}

const average = values => values.reduce((sum, value) => sum + value, 0) / values.length;

function distances(plot, drawn, truth) {
  // How far off a drawing is, in words and at each place.
  const off = drawn.map(([, y], k) => Math.abs(y - truth[k][1]));
  const much = read(plot, average(off));
  return [much === "0" ? "" : `off by ${much}`, off];
}

function factors(drawn, truth) {
  // The same on a logarithmic axis: equal steps are equal factors.
  const seen = y => Math.log(Math.max(y, Number.MIN_VALUE));
  const parts = drawn.map(([, y], k) => (truth[k][1] > 0 ? seen(y) - seen(truth[k][1]) : 0));
  const off = parts.map(Math.abs), times = written(Math.exp(average(off)), 2);
  const way = parts.every(part => part >= 0) ? "too high" : parts.every(part => part <= 0) ? "too low" : "";
  return [times === "1" ? "" : way ? `${times} times ${way}` : `off by a factor of ${times}`, off];
}

function stored(act) {
  // Use what the reader's browser keeps. It may keep nothing, in a private window or on a full disk for example.
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}

function nameOf(plots) {
  // The key for a drawing: its page, and a hash (FNV-1a) of what's to be drawn there.
  const page = location.pathname + (new URLSearchParams(location.search).get("path") ?? "");
  const truth = JSON.stringify(plots.map(({ name, x, y, xlim, ylim }) => [name, x, y, xlim, ylim]));
  const number = [...truth].reduce((hash, letter) => Math.imul(hash ^ letter.codePointAt(), 0x01000193), 0x811c9dc5);
  return `posenc-drawing ${page} ${(number >>> 0).toString(16)}`;
}

function drawing(model, root, canvases, repaint) {
  // What a reader expects, drawn over a picture that hides the answer; it stays in this browser. There's one canvas for
  // all plots, or one each, and nothing else around a canvas takes room.
  const lines = new Map(); // what's drawn in each plot: y by x
  const judged = new Map(); // for each plot shown: the truth its drawing was compared with, and the verdict
  let entry; // the browser's key for the drawing
  let held = null, key = null; // the plot being drawn in; the plot and the index of x last used
  const make = (tag, about = {}, ...inside) => {
    const made = Object.assign(document.createElement(tag), about);
    return made.append(...inside), made;
  };
  const plots = () => model.get("guess").plots, asked = ({ axes }) => model.get("guess").asked.includes(axes);
  const on = plot => canvases[plot.axes] ?? canvases[0], box = plot => model.get("axes")[plot.axes].box;
  const drawn = plot => lines.get(plot.axes) ?? new Map();
  const part = (x, [a, b], log) => (log ? Math.log(x / a) / Math.log(b / a) : (x - a) / (b - a));
  const whole = (t, [a, b], log) => (log ? a * (b / a) ** t : a + t * (b - a));
  const scaled = plot => [[plot.xlim, plot.log.includes("x")], [plot.ylim, plot.log.includes("y")]];
  const spot = (plot, [x, y]) => [part(x, ...scaled(plot)[0]), 1 - part(y, ...scaled(plot)[1])]; // from the left, from the top
  const given = ({ plot, place }) => plot.wide && place === plot.known; // a bar that's already there
  const put = (at, y) => given(at) || lines.set(at.plot.axes, drawn(at.plot).set(at.plot.x[at.place], y));
  const says = new Map(plots().map(({ axes }) => [axes, make("p", { role: "status" })]));
  const list = make("select", { ariaLabel: "place" }), value = make("input", { type: "number", step: "any" });
  const fold = make("details", {}, make("summary", { textContent: "Type it instead" }), list, " ", value, " or use the arrow keys in the picture");
  const row = make("div", { className: "posenc-guess" }, ...says.values(), fold);
  root.append(row);
  const parts = new Map(plots().map(plot => {
    // Over each plot, an invitation and its buttons.
    const words = make("span", { textContent: plot.wide ? "Drag each bar to where you expect it" : "Draw what you expect", ariaHidden: "true" }); // the picture's own words say so
    const [again, showing] = ["Again", "Show"].map(textContent => make("button", { type: "button", textContent }));
    const over = make("div", { className: "posenc-ask" }, words, make("div", {}, again, showing));
    showing.addEventListener("click", show);
    again.addEventListener("click", () => forget(plot.axes));
    on(plot).parentElement.append(over);
    return [plot.axes, { over, words, again, showing }];
  }));
  const line = plot => {
    // The drawing at each x from its first to its last, with straight lines between; bars stay separate.
    const knots = [...drawn(plot)].sort(([a], [b]) => a - b);
    if (plot.wide) return knots;
    let k = 0;
    return plot.x.filter(x => knots.length && x >= knots[0][0] && x <= knots.at(-1)[0]).map(x => {
      while (knots[k + 1]?.[0] <= x) k++;
      if (!knots[k + 1] || x === knots[k][0]) return [x, knots[k][1]];
      // lines that look straight on these axes
      const [along, up] = scaled(plot), [a, b, t] = [knots[k][0], knots[k + 1][0], x].map(at => part(at, ...along));
      const [y, z] = [knots[k][1], knots[k + 1][1]].map(at => part(at, ...up));
      return [x, whole(y + ((z - y) * (t - a)) / (b - a), ...up)];
    });
  };
  const enough = plot => line(plot).length > (plot.wide ? 0 : 1);
  const over = (pen, canvas, { width, height } = canvas) => {
    // The drawings of a canvas, over it or over a picture of a different size.
    if (!canvas.clientWidth) return; // it isn't laid out yet
    const dots = width / canvas.clientWidth;
    for (const plot of plots().filter(plot => on(plot) === canvas)) {
      const [left, top, right, bottom] = box(plot), asks = asked(plot);
      const seen = point => spot(plot, point).map((at, k) => (k ? top + (bottom - top) * at : left + (right - left) * at));
      const dot = ([x, y], size) => (pen.beginPath(), pen.arc(x * width, y * height, size * dots, 0, 7), pen.fill());
      const bar = ([x, y]) => {
        const [a, high] = seen([x - plot.wide / 2, y]), [b, low] = seen([x + plot.wide / 2, isLog(plot, "y") ? plot.ylim[0] : 0]);
        return [a * width, high * height, (b - a) * width, (low - high) * height];
      };
      pen.save();
      pen.beginPath();
      pen.rect(left * width, top * height, (right - left) * width, (bottom - top) * height);
      pen.clip();
      pen.strokeStyle = pen.fillStyle = getComputedStyle(row).color;
      [pen.globalAlpha, pen.lineWidth, pen.lineJoin, pen.lineCap] = [asks ? 1 : 0.4, 3 * dots, "round", "round"];
      pen.beginPath();
      for (const point of line(plot))
        if (plot.wide) pen.rect(...bar(point));
        else pen.lineTo(...seen(point).map((at, k) => at * (k ? height : width)));
      pen.stroke();
      if (plot.wide && asks) {
        // known bars, and outlines of equal height for those still to be dragged
        [pen.globalAlpha, pen.lineWidth] = [0.4, 1.5 * dots];
        pen.setLineDash([4 * dots, 4 * dots]);
        const middle = whole(0.5, ...scaled(plot)[1]);
        plot.x.forEach((x, place) => given({ plot, place }) ? pen.fillRect(...bar([x, plot.y[place]]))
          : drawn(plot).has(x) || pen.strokeRect(...bar([x, middle])));
        pen.globalAlpha = 1;
      } else if (asks && plot.known !== null) dot(seen([plot.x[plot.known], plot.y[plot.known]]), 5);
      const x = plot.x[key?.place], y = drawn(plot).get(x);
      if (asks && key?.plot.axes === plot.axes && y !== undefined) dot(seen([x, y]), 6);
      pen.restore();
    }
  };
  const verdict = plot => {
    // Say once how far off a drawing is; after sliders move, that it was for a different curve.
    const truth = JSON.stringify(plot.y), mine = line(plot), name = plot.name && says.size > 1 ? `${plot.name}: ` : "";
    if (asked(plot) || !enough(plot)) return judged.delete(plot.axes), "";
    if (!judged.has(plot.axes)) judged.set(plot.axes, [truth, name + told(plot, mine, says.size > 1)]);
    const [then, words] = judged.get(plot.axes);
    return truth === then ? words : `${name}The gray line is what you drew for the original curve.`;
  };
  const shown = () => plots().filter(plot => !asked(plot)).map(({ axes }) => axes);
  const ready = () => plots().filter(plot => asked(plot) && enough(plot)).map(({ axes }) => axes);
  const tell = shown => (model.set("answered", shown), model.save_changes());
  const keep = axes => {
    const drawn = { axes, lines: [...lines].map(([axes, knots]) => [axes, [...knots]]) };
    stored(there => (lines.size ? there.setItem(entry, JSON.stringify(drawn)) : there.removeItem(entry)));
  };
  function show({ currentTarget }) {
    const every = [...shown(), ...ready()];
    keep(every);
    if (document.activeElement === currentTarget) currentTarget.previousSibling.focus(); // it disappears, focus stays here
    tell(every);
  }
  function forget(axes) {
    const others = shown().filter(one => one !== axes);
    lines.delete(axes);
    key = null;
    tell(others);
    keep(others);
    entry = nameOf(plots()); // sliders moved
    keep(others);
    on({ axes }).focus({ preventScroll: true });
    update();
  }
  const remember = () => {
    // Bring back earlier drawings from this page; those compared before are compared again.
    entry = nameOf(plots());
    const before = stored(there => JSON.parse(there.getItem(entry)));
    for (const [axes, knots] of before?.lines ?? []) lines.set(axes, new Map(knots));
    const again = (before?.axes ?? []).filter(axes => lines.has(axes));
    if (again.length) tell(again);
  };
  const begin = plot => ({ plot, place: plot.known ?? 0 });
  const update = () => {
    if (!entry) remember();
    const every = plots(), open = every.filter(asked), counts = ({ counts, labels }) => (labels && !counts ? "" : `at ${counts}`);
    if (!key || !asked(key.plot)) key = begin(open[0] ?? every[0]);
    for (const canvas of every.map(on)) {
      const asks = open.some(plot => on(plot) === canvas);
      canvas.classList.toggle("posenc-asks", asks);
      canvas.tabIndex = asks ? 0 : -1;
      if (asks) canvas.style.touchAction = "pan-y"; // moving a finger up and down scrolls the page
    }
    for (const plot of every) {
      const { over, words, again, showing } = parts.get(plot.axes), [left, top, right, bottom] = box(plot);
      const y = plot.known === null || !asked(plot) ? 0.5 : spot(plot, [plot.x[plot.known], plot.y[plot.known]])[1];
      const percent = at => `${100 * at}%`, most = lines.has(plot.axes) && line(plot).at(-1);
      Object.assign(over.style, { left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top) });
      words.style.top = percent(y < 0.3 ? 0.42 : y > 0.85 ? 0.55 : 0.12); // clear of the point, and near it
      const [first, last] = [plot.x[0], plot.x.at(-1)].map(x => spot(plot, [x, 0])[0]); // a given bar may be next to it
      Object.assign(words.style, { left: percent(first), right: percent(1 - last) });
      words.hidden = lines.has(plot.axes) || !asked(plot);
      showing.disabled = !ready().includes(plot.axes);
      showing.hidden = !asked(plot);
      again.hidden = !lines.has(plot.axes);
      says.get(plot.axes).textContent = verdict(plot);
    }
    fold.hidden = !open.length;
    const places = open.map(plot => make("optgroup", { label: plot.name }, ...plot.x.map((x, k) => (
      make("option", { textContent: counts(plot) + named(plot, x), value: [plot.axes, k].join() })))));
    if (list.length !== places.reduce((sum, { children }) => sum + children.length, 0)) list.replaceChildren(...places);
    list.value = [key.plot.axes, key.place].join();
    value.ariaLabel = list.selectedOptions[0]?.text;
    if (document.activeElement !== value) value.value = drawn(key.plot).get(key.plot.x[key.place])?.toPrecision(3) ?? "";
    repaint();
  };
  const move = (event, first) => {
    const canvas = event.currentTarget, frame = canvas.getBoundingClientRect();
    const [across, down] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    if (first) {
      const away = ([left, top, right, bottom]) =>
        Math.max(left - across, across - right, 0) + Math.max(top - down, down - bottom, 0);
      const here = [...model.get("axes").keys()].filter(axes => on({ axes }) === canvas), far = here.map(axes => away(box({ axes })));
      const nearest = Math.min(...far), meant = plots().find(({ axes }) => axes === here[far.indexOf(nearest)]);
      if (!meant || !asked(meant) || (event.pointerType === "touch" && nearest > BESIDE)) return; // outside it a finger scrolls
      held = meant;
      canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
    }
    const [left, top, right, bottom] = box(held), [along, up] = scaled(held);
    const x = whole(within((across - left) / (right - left), 0, 1), ...along);
    const y = whole(within((bottom - down) / (bottom - top), 0, 1), ...up);
    const place = held.x.reduce((best, one, k) => (Math.abs(one - x) < Math.abs(held.x[best] - x) ? k : best), 0);
    if (!first && !held.wide) // a quick hand also redraws what it skipped
      for (let k = Math.min(key.place, place) + 1; k < Math.max(key.place, place); k++) drawn(held).delete(held.x[k]);
    key = { plot: held, place };
    put(key, y);
    update();
  };
  const press = event => {
    const [across, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [];
    const here = plots().filter(plot => asked(plot) && on(plot) === event.currentTarget);
    if (!here.length || across === undefined) return;
    if (!here.some(({ axes }) => axes === key.plot.axes)) key = begin(here[0]);
    event.preventDefault();
    event.stopPropagation(); // a notebook would leave the cell
    const { plot, place } = key, [, scale] = scaled(plot), first = place === plot.known ? plot.y[place] : whole(0.5, ...scale);
    const now = drawn(plot).get(plot.x[place]) ?? first;
    if (across) put(key, now);
    key = { plot, place: within(place + across * Math.ceil(plot.x.length / KEYS), 0, plot.x.length - 1) };
    const kept = plot.wide && across ? drawn(plot).get(plot.x[key.place]) ?? now : now; // bars keep their heights
    put(key, whole(within(part(kept, ...scale) + up / KEYS, 0, 1), ...scale));
    keep(shown());
    update();
  };
  const clear = ({ parentElement: whole }) => { // buttons reach below a small picture
    const ends = [...whole.querySelectorAll("canvas, button:not([hidden])")].map(one => one.getBoundingClientRect().bottom);
    whole.style.marginBottom = `${Math.max(...ends) - ends[0]}px`;
  };
  const laid = new ResizeObserver(() => (canvases.forEach(clear), repaint())); // now there is a width to draw for
  for (const canvas of canvases) {
    laid.observe(canvas);
    canvas.addEventListener("pointerdown", event => event.button || move(event, true));
    canvas.addEventListener("pointermove", event => held && move(event, false));
    canvas.addEventListener("touchmove", event => held && event.preventDefault(), { passive: false }); // no scrolling
    const end = () => held && (keep(shown()), (held = null), update());
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, end);
    canvas.addEventListener("keydown", press);
  }
  list.addEventListener("change", () => {
    const [axes, place] = list.value.split(",").map(Number);
    key = { plot: plots().find(plot => plot.axes === axes), place };
    update();
  });
  value.addEventListener("change", () => value.value !== "" && (put(key, Number(value.value)), keep(shown()), update()));
  value.addEventListener("keydown", event => event.key === "Enter" && (event.stopPropagation(), value.blur(), value.focus())); // not for the notebook
  return { over, update, row };
}
