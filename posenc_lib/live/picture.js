// A picture you can touch: the kernel's PNG on a canvas, where the pointer is, and what the kernel says is there.

const MEANT = 8; // px a finger must move before it drags
const FIRST = 240; // px that can be above a page's first panel and seen with it
const FADES = 40; // px at the end of the strip of scenes
const PLAYED = 12_000; // ms from one end of a slider to the other
const FAST = 0.0002, FASTEST = 0.004, SLOW = 0.0001; // widths per ms: a throw's least, its most, and where it ends
const COASTS = 700; // ms until a throw slows to a third
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const SOON = 60; // ms a pointer rests before asking the kernel what's there

function copy(text) {
  // If a page can't write to the clipboard (no https), it can still copy a selection.
  const area = Object.assign(document.createElement("textarea"), { value: text, style: "position: fixed; opacity: 0" });
  const fallback = () => (document.body.append(area), area.select(), document.execCommand("copy"), area.remove());
  navigator.clipboard ? navigator.clipboard.writeText(text).catch(fallback) : fallback();
}

function save(name, data) {
  const url = URL.createObjectURL(new Blob([data]));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function name(panel) {
  // ipywidgets doesn't name handles, and gives a choice's name the tooltip "null".
  for (const row of panel.querySelectorAll(".widget-slider"))
    for (const handle of row.querySelectorAll(".noUi-handle")) {
      const { textContent, title } = row.querySelector(".widget-label"), rests = row.querySelector("[disabled]");
      handle.ariaLabel = textContent;
      handle.ariaDescription = row.title = rests ? title : ""; // why it's pale
    }
  for (const row of panel.querySelectorAll(".posenc-options:not([data-named])")) {
    // A slider over given values reports their indices; a listener wants the values.
    const handle = row.querySelector(".noUi-handle"), readout = row.querySelector(".widget-readout");
    if (!handle || !readout) continue;
    readout.contentEditable = "true";
    row.dataset.named = "yes";
    const told = () => handle.ariaValueText !== readout.textContent && (handle.ariaValueText = readout.textContent);
    new MutationObserver(told).observe(row, { subtree: true, childList: true, attributeFilter: ["aria-valuetext"] });
    told();
  }
  for (const label of panel.querySelectorAll("[title=null]")) label.removeAttribute("title");
}

function hear(model, panel) {
  // By default, Home and End go to a slider's first ends, and a number typed next to one over given values is
  // ignored. Here, typing replaces the number, and the kernel takes it.
  if (panel.dataset.heard) return;
  panel.dataset.heard = "yes";
  let select;
  panel.addEventListener("keydown", event => {
    const slider = event.target.closest?.(".widget-slider"), end = { Home: "min", End: "max" }[event.key];
    if (slider && event.target.matches(".widget-readout")) {
      event.stopPropagation(); // typing there isn't a notebook command
      select?.(); // the first key can come before the next frame
      if (event.key === "Enter") event.preventDefault(), event.target.blur();
    } else if (end && slider && event.target.matches(".noUi-handle")) {
      event.preventDefault();
      event.stopPropagation();
      const { noUiSlider: track } = slider.querySelector(".noUi-target");
      track.set(track.options.range[end]);
    }
  }, true);
  hand(model, panel);
  if (panel.closest(".posenc-playground")) play(panel);
  panel.addEventListener("focusin", ({ target }) => {
    if (target.matches(".noUi-handle:focus-visible")) {
      // arrow keys won't scroll
      const high = panel.closest(".jp-WindowedPanel-outer")?.clientHeight ?? innerHeight;
      panel.scrollIntoView({ block: panel.offsetHeight > high ? "start" : "nearest" });
    } else if (target.matches(".widget-readout")) {
      target.dataset.was = target.textContent;
      // A selection takes the focus along, so whoever has gone on already keeps it.
      select = () => {
        select = null;
        if (document.activeElement === target) getSelection().selectAllChildren(target);
      };
      requestAnimationFrame(() => select?.());
    }
  });
  panel.addEventListener("focusout", ({ target }) => {
    const slider = target.closest(".widget-slider"), typed = target.textContent;
    if (!slider || !target.matches(".widget-readout") || typed === target.dataset.was) return;
    target.textContent = target.dataset.was; // until the kernel takes it
    model.set("sent", { slider: slider.querySelector(".widget-label").textContent, typed, at: performance.now() });
    model.save_changes();
  });
}

function hand(model, panel) {
  // While a slider is held, axes wait, and on a phone it stays in sight.
  const controls = panel.querySelector(".posenc-sliders"), rows = [...(controls?.children ?? [])];
  const use = row => rows.includes(row) && rows.forEach(one => one.toggleAttribute("data-used", one === row));
  use(rows.find(row => row.matches(".widget-slider") && !row.querySelector("[disabled]")) ?? rows[0]);
  if (rows.length > 2) {
    const more = Object.assign(document.createElement("button"), { className: "posenc-more", ariaExpanded: "false" });
    const told = () => (more.textContent = more.ariaExpanded === "true" ? "Fewer sliders" : `All ${rows.length} sliders`);
    more.addEventListener("click", () => ((more.ariaExpanded = String(more.ariaExpanded === "false")), told()));
    told(), controls.append(more);
  }
  const hold = on => (model.set("held", on), model.save_changes());
  panel.addEventListener("focusin", ({ target }) => use(target.closest(".posenc-sliders > *")));
  panel.addEventListener("pointerdown", ({ target }) => {
    use(target.closest(".posenc-sliders > *"));
    if (!target.closest(".noUi-target")) return;
    hold(true);
    const ends = new AbortController();
    for (const end of ["pointerup", "pointercancel"])
      window.addEventListener(end, () => (hold(false), ends.abort()), { signal: ends.signal });
  });
  finger(panel);
}

function finger(panel) {
  // By default a slider jumps to a finger. Here, moving up or down scrolls the page, and moving across drags.
  let held;
  const on = (event, act) => panel.addEventListener(event, act, { capture: true, passive: true });
  on("touchstart", event => {
    const track = event.target.closest(".noUi-target"), [{ clientX, clientY }] = event.touches;
    if (track) event.stopPropagation();
    held = track && !track.hasAttribute("disabled") && { track, x: clientX, y: clientY, waits: true };
  });
  on("touchmove", ({ touches: [{ clientX, clientY }] }) => {
    const across = Math.abs(clientX - held?.x);
    if (!held || (held.waits && (across < MEANT || across < Math.abs(clientY - held.y)))) return;
    held.waits = false;
    const { left, width } = held.track.getBoundingClientRect(), { min, max } = held.track.noUiSlider.options.range;
    held.track.noUiSlider.set(min + within((clientX - left) / width, 0, 1) * (max - min));
  });
  for (const end of ["touchend", "touchcancel"]) on(end, () => (held = null));
}

function play(panel) {
  // A button next to each slider plays it to its end, step by step; grabbing a slider stops it.
  let timer, playing;
  const told = (button, on) => {
    button.textContent = on ? "■" : "▶\uFE0E";
    button.title = button.ariaLabel = `${on ? "Stop" : "Play"} ${button.slider}`;
  };
  const stop = () => (clearInterval(timer), playing && told(playing, false), (playing = null));
  for (const row of panel.querySelectorAll(".widget-slider")) {
    const button = Object.assign(document.createElement("button"), { className: "posenc-play" });
    button.slider = row.querySelector(".widget-label").textContent;
    const track = () => row.querySelector(".noUi-target").noUiSlider;
    const step = () => {
      const now = track()?.get(true), { range, step: by } = track()?.options ?? {};
      row.isConnected && now < range.max ? track().set(now + by) : stop();
    };
    const start = () => {
      const { range, step: by } = track().options;
      if (track().get(true) >= range.max) track().set(range.min);
      timer = setInterval(step, within((PLAYED * by) / (range.max - range.min), 100, 1200));
      told((playing = button), true);
    };
    button.addEventListener("click", () => {
      const again = playing !== button;
      stop();
      if (again) start();
    });
    told(button, false);
    row.append(button);
  }
  for (const event of ["pointerdown", "focusin"])
    panel.addEventListener(event, ({ target }) => target.closest(".widget-slider") && !target.matches(".posenc-play") && stop());
}

function settle(panel) {
  // What a whole panel needs from its page, once.
  if (panel.dataset.settled) return;
  panel.dataset.settled = "yes";
  // Letters typed in a list choose there; elsewhere they're notebook commands.
  panel.addEventListener("focusin", ({ target }) => target.matches("select") && (target.dataset.lmSuppressShortcuts = "yes"));
  const scenes = panel.querySelector(".posenc-scenes");
  if (scenes) {
    scenes.addEventListener("click", () => leave(panel));
    const watch = new MutationObserver(() => cards(scenes));
    watch.observe(scenes, { subtree: true, childList: true, attributeFilter: ["class"] });
    cards(scenes);
  }
  const cell = panel.closest(".jp-CodeCell");
  cell?.addEventListener("keydown", event => {
    const first = panel.querySelector(".posenc-scenes button, .noUi-handle");
    if (event.key !== "Tab" || event.shiftKey || event.target !== cell || !first || !panel.isConnected) return;
    event.preventDefault(); // from the cell straight to a scene or slider, past the notebook's buttons
    first.focus();
  });
}

function cards(scenes) {
  // The chosen one says so, and is in sight; pictures say nothing, for their buttons have the names.
  for (const image of scenes.querySelectorAll("img")) image.alt = "";
  for (const button of scenes.querySelectorAll("button")) button.ariaPressed = String(button.matches(".posenc-chosen *"));
  const chosen = scenes.querySelector(".posenc-chosen")?.getBoundingClientRect(), strip = scenes.getBoundingClientRect();
  if (chosen) scenes.scrollLeft += Math.max(0, chosen.right + FADES - strip.right) || Math.min(0, chosen.left - strip.left);
}

function leave(panel) {
  panel.leaving = panel.querySelector(".posenc-picture");
  const stays = new AbortController(), stay = () => ((panel.leaving = null), stays.abort());
  for (const event of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(event, stay, { signal: stays.signal, capture: true, passive: true });
}

function arrive(whole, panel) {
  // Once a scene has come that was chosen in the strip, all of it is in sight, however it grows, and keys move its
  // slider, until a reader goes on.
  if (!whole.leaving || whole.leaving.isConnected) return;
  whole.scrollIntoView({ block: "nearest" });
  panel.querySelector(".noUi-handle")?.focus({ preventScroll: true });
}

function touch(model, canvas, tip) {
  // Tell the kernel where the pointer is, and show what it answers.
  let held = null, presses = 0, asked = 0, soon, speed = 0, last = null, flies = false;
  const where = ({ clientX, clientY }) => {
    const frame = canvas.getBoundingClientRect();
    const left = (clientX - frame.left) / frame.width, top = (clientY - frame.top) / frame.height;
    const inside = ({ box }) => left >= box[0] && left <= box[2] && top >= box[1] && top <= box[3];
    return { axes: held ? held.axes : model.get("axes").findIndex(inside), left, top, frame };
  };
  const tell = (event, wait) => {
    const { axes, left, top, frame } = where(event);
    const drags = model.get("axes")[axes]?.drags;
    clearTimeout(soon);
    tip.hidden ||= !held || axes < 0; // until the kernel answers
    canvas.style.cursor = drags ? "crosshair" : "";
    if (axes < 0) return;
    tip.place = [event.clientX - frame.left, event.clientY - frame.top, frame];
    const at = { axes, left, top, press: held ? presses : 0, by: left - (held?.left ?? 0), asked: ++asked };
    soon = setTimeout(() => (model.set("touched", at), model.save_changes()), wait);
  };
  const fly = now => {
    // A throw keeps going, slower and slower, one step per answer from the kernel.
    if (!flies) return;
    const passed = within(now - last.now, 0, 100);
    speed *= Math.exp(-passed / COASTS);
    last = { now, left: last.left + speed * passed };
    const { axes, top } = held, by = last.left - held.left;
    model.set("touched", { axes, left: last.left, top, press: presses, by, asked: ++asked }), model.save_changes();
    flies = Math.abs(speed) > SLOW;
    if (!flies) (held = null), (tip.hidden = true);
  };
  const answer = () => {
    const { text, asked: mine, rolls } = model.get("hint");
    if (mine !== asked && !held) return; // about an earlier place
    if (held) held.rolls = rolls && mine > held.asked;
    if (flies && mine === asked) requestAnimationFrame(fly);
    tip.textContent = text;
    tip.hidden = !text;
    const [x, y, frame] = tip.place ?? [0, 0, canvas.getBoundingClientRect()];
    tip.style.left = `${within(x + 14, 0, frame.width - tip.offsetWidth)}px`;
    tip.style.top = `${within(y - 30, 0, frame.height)}px`;
  };
  canvas.addEventListener("pointerdown", event => {
    if (flies) [flies, held] = [false, null];
    const at = where(event);
    if (!model.get("axes")[at.axes]?.drags || event.button) return;
    held = { ...at, x: event.clientX, y: event.clientY, waits: event.pointerType === "touch", asked };
    [speed, last] = [0, { now: event.timeStamp, left: at.left }];
    presses += 1;
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (!held.waits) tell(event, 0); // a finger could be about to scroll
  });
  canvas.addEventListener("pointermove", event => {
    if (held?.waits) {
      const [across, up] = [event.clientX - held.x, event.clientY - held.y].map(Math.abs);
      if (across < MEANT || across < up) return;
      held.waits = false;
    }
    if (flies) return;
    const { left } = where(event), now = event.timeStamp, passed = now - last?.now;
    if (held && passed > 0) {
      speed = within((speed + (left - last.left) / passed) / 2, -FASTEST, FASTEST);
      last = { now, left };
    }
    tell(event, held ? 0 : SOON);
  });
  canvas.addEventListener("pointerup", event => {
    const dragged = held && !held.waits, rested = event.timeStamp - last?.now > 80;
    flies = dragged && held.rolls && !rested && Math.abs(speed) > FAST && !CALM.matches;
    if (flies) return clearTimeout(soon), requestAnimationFrame(fly); // nothing late is told in between
    held = null;
    if (dragged) setTimeout(() => (tip.hidden = true), 1500);
    else tell(event, 0);
  });
  const leave = () => (clearTimeout(soon), asked++, (tip.hidden = true));
  canvas.addEventListener("pointercancel", () => ((held = null), (flies = false), leave()));
  canvas.addEventListener("pointerleave", event => held || event.pointerType === "touch" || leave());
  return { answer, moved: () => held || leave() }; // the hint was about the old picture
}

function render({ model, el }) {
  const [root, canvas, tip] = ["div", "canvas", "div"].map(name => document.createElement(name));
  root.className = "posenc-picture";
  tip.className = "posenc-tip";
  tip.hidden = true;
  canvas.setAttribute("role", "img");
  root.append(canvas, tip);
  el.append(root);

  let newest = 0, sent = "", soon, picture, watched;
  const draw = () => {
    if (!picture) return;
    if (canvas.width !== picture.width || canvas.height !== picture.height)
      [canvas.width, canvas.height] = [picture.width, picture.height];
    const pen = canvas.getContext("2d");
    pen.drawImage(picture, 0, 0);
    guess?.over(pen, canvas);
  };
  const guess = model.get("guess").plots && drawing(model, el, [canvas], draw);
  const paint = async () => {
    const bytes = model.get("value"), mine = ++newest, drawn = model.get("drawn");
    if (!bytes?.byteLength) return;
    const made = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    if (mine !== newest) return made.close();
    picture?.close();
    picture = made;
    root.dataset.drawn = drawn;
    draw();
    canvas.dataset.frame = mine;
  };
  const describe = () => {
    canvas.setAttribute("aria-label", model.get("alt"));
    // A finger drags across, and scrolls the page up and down.
    canvas.style.touchAction = model.get("axes").some(({ drags }) => drags) ? "pan-y" : "";
    guess?.update(); // its buttons are in the axes
    watched && name(watched);
  };
  const take = async ({ copy: text, save: file, margin }, [data]) =>
    file ? save(file, guess && file.endsWith(".png") ? await withDrawing(data, margin) : data) : copy(text);
  const withDrawing = async (data, margin) => {
    // A file has a heading and a margin around the picture, given as a fraction of its width.
    const image = await createImageBitmap(new Blob([data])), edge = margin * image.width, whole = new OffscreenCanvas(image.width, image.height);
    const pen = whole.getContext("2d"), width = image.width - 2 * edge, height = (width * canvas.height) / canvas.width;
    pen.drawImage(image, 0, 0);
    pen.translate(edge, image.height - edge - height);
    guess.over(pen, canvas, { width, height });
    return whole.convertToBlob();
  };
  const measure = () => {
    const panel = el.closest(".posenc"), page = el.closest(".jp-WindowedPanel-outer");
    if (!panel?.clientWidth) return; // out of sight
    if (panel !== watched) sizes.observe((watched = panel)); // it can grow when its picture doesn't
    const whole = panel.parentElement.closest(".posenc") ?? panel; // a playground contains panels
    sizes.observe(whole); // its scenes fold away
    settle(whole), name(whole), hear(model, panel), arrive(whole, panel);
    if (guess && !panel.querySelector(".posenc-said > .posenc-guess")) panel.querySelector(".posenc-said").prepend(guess.row);
    const dark = document.body.dataset.jpThemeLight === "false";
    const top = whole.getBoundingClientRect().top - (page?.getBoundingClientRect().top ?? 0);
    const above = Math.round(top + (page?.scrollTop ?? window.scrollY)); // seen with it on the first screen
    const controls = panel.querySelector(".posenc-sliders"), folds = panel.querySelector(".posenc-more")?.offsetHeight;
    const scenes = whole.querySelector(".posenc-scenes")?.offsetHeight ?? 0;
    const tabs = panel.querySelector(".posenc-said > .widget-toggle-buttons")?.offsetHeight ?? 0;
    const sliders = (folds ? 0 : (controls?.offsetHeight ?? 0) + scenes) + tabs; // unfolding these doesn't resize the picture
    const beside = whole === panel && above > 0 && above < FIRST && !panel.matches(".posenc-large") ? above : 0;
    const height = (page?.clientHeight || window.innerHeight) - sliders - beside;
    const now = { dark, own: panel.clientWidth, width: whole.clientWidth, height };
    if (JSON.stringify(now) === sent) return;
    sent = JSON.stringify(now);
    model.set("page", now);
    model.save_changes();
  };
  // Notebook 7 takes these keys before sliders and drawings get them, unless told not to.
  const own = ({ target, key }) => el.closest(".posenc")?.contains(target) && target.matches(".noUi-handle, canvas") &&
    target.toggleAttribute("data-lm-suppress-shortcuts", /^(Arrow|Home|End|Page)/.test(key));
  const later = () => (clearTimeout(soon), (soon = setTimeout(measure, 120)));
  const sizes = new ResizeObserver(later), theme = new MutationObserver(later);
  sizes.observe(el);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  window.addEventListener("resize", later);
  window.addEventListener("keydown", own, true);

  const { answer, moved } = touch(model, canvas, tip);
  const listeners = { "change:value": () => (moved(), paint()), "change:hint": answer, "msg:custom": take };
  if (guess) listeners["change:guess"] = guess.update;
  for (const name of ["alt", "axes"]) listeners[`change:${name}`] = describe;
  for (const [name, act] of Object.entries(listeners)) model.on(name, act);
  paint(), describe(), later();
  return () => {
    for (const [name, act] of Object.entries(listeners)) model.off(name, act);
    for (const observer of [sizes, theme]) observer.disconnect();
    window.removeEventListener("resize", later);
    window.removeEventListener("keydown", own, true);
    guess?.row.remove();
  };
}

const VIEW = "application/vnd.jupyter.widget-view+json", STATE = "application/vnd.jupyter.widget-state+json";
const KEPT = `<style>.posenc-kept { display: block; } .posenc-kept.jupyter-widgets-disconnected::before {
  display: block; font: inherit; color: inherit; content: "To make this move, choose Run → Run All Cells."; }</style>`;

function kept(id, data) {
  // A widget that needs no kernel: the picture and words a notebook stores with a panel.
  const plain = Object.assign(document.createElement("p"), { textContent: data["text/plain"] });
  const words = [data["text/html"] ?? new XMLSerializer().serializeToString(plain)];
  const state = { value: words.flat().join("") + KEPT, _dom_classes: ["posenc-kept"] };
  return [id, { model_name: "HTMLModel", model_module: "@jupyter-widgets/controls", model_module_version: "2.0.0", state }];
}

function keep(notebook) {
  // Put into a saved notebook, for each panel, what to show when it's opened without a kernel.
  const outputs = [...notebook.cells].flatMap(({ outputs }) => outputs?.toJSON() ?? []).map(({ data }) => data ?? {});
  const panels = outputs.filter(data => data[VIEW]?.posenc).map(data => kept(data[VIEW].model_id, data));
  const saved = notebook.getMetadata("widgets")?.[STATE]?.state ?? {}; // if a reader's settings ask for it
  const others = Object.entries(saved).filter(([, { state }]) => !state._dom_classes?.includes("posenc-kept"));
  const state = Object.fromEntries([...panels, ...others]);
  notebook.setMetadata("widgets", { [STATE]: { version_major: 2, version_minor: 0, state } });
}

function atSaving(context) {
  // JupyterLab saves that there was a widget, but not which; reopened, it would say "model not found".
  if (context.posenc) return;
  context.posenc = true; // one for all panels
  context.saveState.connect((_, now) => now === "started" && keep(context.model));
}

function initialize({ model }) {
  // A page that can't load this file never says that it runs.
  model.set("runs", true);
  model.save_changes();
  const { context, restoredStatus, restored } = model.widget_manager ?? {};
  if (!context?.model?.getMetadata) return; // no notebook
  atSaving(context);
  if (restoredStatus !== false) return;
  // A notebook that's reloaded takes up a panel part by part, and can miss what the kernel answers meanwhile.
  const again = () => (restored.disconnect(again), model.send({ again: true }));
  restored.connect(again);
}

export default { initialize, render };
