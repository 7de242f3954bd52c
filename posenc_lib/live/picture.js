// A picture that can be touched: the kernel's PNG on a canvas, a label at the pointer, and where it was dragged to.

const NEAR = 22; // px from a point that still mean it
const MEANT = 8; // px that a finger must go before it drags
const FIRST = 240; // px that may stand above the first panel of a page and be seen with it
const within = (value, low, high) => Math.min(Math.max(value, low), high);

function pointer(model, event, canvas) {
  // Which axes lie under the pointer; the boxes of axes are fractions of the picture.
  const frame = canvas.getBoundingClientRect();
  const left = (event.clientX - frame.left) / frame.width, top = (event.clientY - frame.top) / frame.height;
  const index = model.get("axes").findIndex(
    ({ box }) => left >= box[0] && left <= box[2] && top >= box[1] && top <= box[3]);
  return { index, left, top, frame };
}

function values({ box, x, y, log }, { left, top }) {
  const along = (part, [low, high], name) => {
    if (!log.includes(name)) return low + part * (high - low);
    return low * (high / low) ** part;
  };
  return [
    along(within((left - box[0]) / (box[2] - box[0]), 0, 1), x, "x"),
    along(within((box[3] - top) / (box[3] - box[1]), 0, 1), y, "y"),
  ];
}

function mark({ marks }, { left, top, frame }) {
  // The number of the nearest point, or -1 where none is near.
  const far = marks.map(([x, y]) => Math.hypot((x - left) * frame.width, (y - top) * frame.height));
  const nearest = far.indexOf(Math.min(...far));
  return far[nearest] <= NEAR ? nearest : -1;
}

function words(axes, at) {
  if (axes.marks) {
    const position = mark(axes, at);
    return position < 0 ? "" : `position ${position}`;
  }
  const seen = values(axes, at);
  return axes.names.map((name, k) => {
    const ends = [axes.x, axes.y][k];
    const whole = within(Math.round(seen[k]), Math.ceil(Math.min(...ends)), Math.floor(Math.max(...ends)));
    return name && `${name} ${String(whole).replace("-", "−")}`;
  }).filter(Boolean).join(", ");
}

function copy(text) {
  // Where a page may not write to the clipboard (no https), a selection still can be copied.
  const area = Object.assign(document.createElement("textarea"), { value: text, style: "position: fixed; opacity: 0" });
  const fallback = () => (document.body.append(area), area.select(), document.execCommand("copy"), area.remove());
  navigator.clipboard ? navigator.clipboard.writeText(text).catch(fallback) : fallback();
}

function name(panel) {
  // ipywidgets leaves handles and the buttons of Play without a name.
  for (const row of panel.querySelectorAll(".widget-slider"))
    row.querySelector(".noUi-handle")?.setAttribute("aria-label", row.querySelector(".widget-label")?.textContent ?? "");
  for (const row of panel.querySelectorAll(".posenc-options:not([data-named])")) {
    // A slider over given values tells their places; whoever hears it wants the values.
    const handle = row.querySelector(".noUi-handle"), readout = row.querySelector(".widget-readout");
    if (!handle || !readout) continue;
    row.dataset.named = "yes";
    const told = () => handle.ariaValueText !== readout.textContent && (handle.ariaValueText = readout.textContent);
    new MutationObserver(told).observe(row, { subtree: true, childList: true, attributeFilter: ["aria-valuetext"] });
    told();
  }
  const buttons = panel.querySelectorAll(".widget-play button");
  buttons.forEach((button, k) => (button.title = ["play", "stop", "again and again"][k % 3]));
}

function ends(model, panel) {
  // By itself a slider goes to the ends that it had when it was made.
  if (panel.dataset.ends) return;
  panel.dataset.ends = "yes";
  panel.addEventListener("keydown", event => {
    const slider = event.target.closest?.(".widget-slider:not(.posenc-options)"), end = { Home: "min", End: "max" }[event.key];
    if (!end || !slider || !event.target.matches(".noUi-handle")) return;
    event.preventDefault();
    event.stopPropagation();
    model.set("sent", { slider: slider.querySelector(".widget-label").textContent, end, at: performance.now() });
    model.save_changes();
  }, true);
}

function settle(panel) {
  // What a whole panel needs of its page, once.
  if (panel.dataset.settled) return;
  panel.dataset.settled = "yes";
  // Letters typed in a list choose there; else they are commands of the notebook.
  panel.addEventListener("focusin", ({ target }) => target.matches("select") && (target.dataset.lmSuppressShortcuts = "yes"));
  const cell = panel.closest(".jp-CodeCell");
  cell?.addEventListener("keydown", event => {
    const first = panel.querySelector(".noUi-handle");
    if (event.key !== "Tab" || event.shiftKey || event.target !== cell || !first || !panel.isConnected) return;
    event.preventDefault(); // from the cell straight to the slider, past the notebook's own buttons
    first.focus();
  });
}

function render({ model, el }) {
  const [root, canvas, tip] = ["div", "canvas", "div"].map(name => document.createElement(name));
  root.className = "posenc-picture";
  tip.className = "posenc-tip";
  tip.hidden = true;
  canvas.setAttribute("role", "img");
  root.append(canvas, tip);
  el.append(root);

  let newest = 0, held = null, presses = 0, asked = 0, soonAsked;
  const paint = async () => {
    const bytes = model.get("value"), mine = ++newest;
    if (!bytes?.byteLength) return;
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    if (mine === newest) {
      if (canvas.width !== picture.width || canvas.height !== picture.height)
        [canvas.width, canvas.height] = [picture.width, picture.height];
      canvas.getContext("2d").drawImage(picture, 0, 0);
      canvas.dataset.frame = mine;
    }
    picture.close();
  };
  const describe = () => canvas.setAttribute("aria-label", model.get("alt"));
  const size = () => (root.style.maxWidth = model.get("max_width"));
  const note = () => (canvas.dataset.line = model.get("line"));

  const ask = what => {
    // The kernel knows which number is drawn there; the label waits for nobody, and takes no answer for a place before.
    clearTimeout(soonAsked);
    what.asked = ++asked;
    soonAsked = setTimeout(() => (model.set("hovered", what), model.save_changes()), 80);
  };
  const answer = () => {
    const { text, asked: mine } = model.get("hint");
    if (mine === asked && text && !held) tip.textContent += `: ${text}`;
  };
  const finger = () => {
    // Across, a finger drags; up and down it scrolls the page.
    canvas.style.touchAction = model.get("axes").some(({ drags }) => drags) ? "pan-y" : "";
  };
  const point = event => {
    const at = pointer(model, event, canvas);
    if (held) at.index = held.index;
    const axes = model.get("axes")[at.index];
    tip.hidden = true;
    canvas.style.cursor = axes?.drags ? "crosshair" : "";
    if (!axes) return;
    tip.textContent = words(axes, at);
    tip.hidden = !tip.textContent;
    tip.style.left = `${within(event.clientX - at.frame.left + 14, 0, at.frame.width - tip.offsetWidth)}px`;
    tip.style.top = `${within(event.clientY - at.frame.top - 30, 0, at.frame.height)}px`;
    const [x, y] = values(axes, at), by = at.left - (held?.left ?? 0);
    if (!held) ask({ axes: at.index, x, y });
    if (!held || !axes.drags) return;
    model.set("pointed", { axes: at.index, x, y, by, mark: axes.marks ? mark(axes, at) : -1, press: presses, at: event.timeStamp });
    model.save_changes();
  };
  canvas.addEventListener("pointerdown", event => {
    const at = pointer(model, event, canvas);
    if (!model.get("axes")[at.index]?.drags || event.button) return;
    held = { ...at, x: event.clientX, y: event.clientY, waits: event.pointerType === "touch" };
    presses += 1;
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (!held.waits) point(event); // a finger may be about to scroll
  });
  canvas.addEventListener("pointermove", event => {
    if (held?.waits) {
      const [across, up] = [event.clientX - held.x, event.clientY - held.y].map(Math.abs);
      if (across < MEANT || across < up) return;
      held.waits = false;
    }
    point(event);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => ((held = null), end === "pointerup" ? point(event) : (tip.hidden = true)));
  canvas.addEventListener("pointerleave", event => held || event.pointerType === "touch" || (clearTimeout(soonAsked), (tip.hidden = true)));

  const take = ({ copy: text, save: name }, [data]) => {
    if (text) return copy(text);
    const url = URL.createObjectURL(new Blob([data])), link = Object.assign(document.createElement("a"), { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  let told = "", soon;
  const measure = () => {
    const panel = el.closest(".posenc"), page = el.closest(".jp-WindowedPanel-outer");
    if (!panel?.clientWidth) return; // out of sight
    const whole = panel.parentElement.closest(".posenc") ?? panel; // a playground has panels in it
    settle(whole);
    name(whole);
    ends(model, panel);
    const dark = document.body.dataset.jpThemeLight === "false";
    const top = whole.getBoundingClientRect().top - (page?.getBoundingClientRect().top ?? 0);
    const above = Math.round(top + (page?.scrollTop ?? window.scrollY)); // what is seen with it on the first screen
    const height = (page?.clientHeight || window.innerHeight) - (above > 0 && above < FIRST ? above : 0);
    const now = { dark, own: panel.clientWidth, width: whole.clientWidth, height };
    if (JSON.stringify(now) === told) return;
    told = JSON.stringify(now);
    model.set("page", now);
    model.save_changes();
  };
  const later = () => (clearTimeout(soon), soon = setTimeout(measure, 120));
  const sizes = new ResizeObserver(later), theme = new MutationObserver(later);
  sizes.observe(el);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  window.addEventListener("resize", later);

  const listeners = {
    "change:value": paint, "change:alt": describe, "change:max_width": size, "change:line": note, "change:axes": finger,
    "change:hint": answer, "msg:custom": take,
  };
  for (const [name, act] of Object.entries(listeners)) model.on(name, act);
  paint(), describe(), size(), note(), finger(), later();
  return () => {
    for (const [name, act] of Object.entries(listeners)) model.off(name, act);
    for (const observer of [sizes, theme]) observer.disconnect();
    window.removeEventListener("resize", later);
  };
}

export default { render };
