// Around a lesson in the browser: its picture at once, Python's start, cells that run as they come into sight, what a
// reader has done, and a bar with what is going on.

const FILE = new URLSearchParams(location.search).get("path") ?? "", LESSON = PAGES[FILE] ?? {};
const ROOT = new URL("../", location.href.split(/[?#]/)[0]);
const KEPT = [`posenc-drawing ${location.pathname}${FILE}`, `posenc-lesson ${location.pathname}${FILE}`]; // see guess.js
const SOON = 700; // ms after a change until it is kept
const LATE = 120; // s after which Python won't come any more
const SMALL = "(max-width: 600px), (max-height: 500px)"; // as in page.css
const MEANT = /NOT be synced|is duplicated|Connection lost/; // what JupyterLite warns of, and is to be so here
const [cover, bar, status] = ["cover", "bar", "status"].map(name => document.getElementById(`posenc-${name}`));
const say = words => status.textContent !== words && (status.textContent = words);
const pause = ms => new Promise(done => setTimeout(done, ms));

async function until(ready) {
  for (;;) {
    const value = ready();
    if (value) return value;
    await pause(50);
  }
}

function show() {
  // The lesson as a picture, until there is more.
  const { name, title, question, picture, alt, width } = LESSON, part = tag => cover.querySelector(tag);
  document.getElementById("posenc-site").hidden = !SITE || !name;
  document.getElementById("posenc-site").href = new URL(`${SITE}${name}`, ROOT);
  if (!title) return;
  document.title = part("h1").textContent = title;
  part("p").textContent = question;
  picture ? Object.assign(part("img"), { alt, width, src: new URL(`first/${picture}`, ROOT) }) : part("img").remove();
}

async function opened() {
  // The notebook, as soon as its first words are on the page.
  const panel = await until(() => window.jupyterapp?.shell?.currentWidget?.content?.widgets && jupyterapp.shell.currentWidget);
  await panel.context.ready;
  await until(() => panel.node.querySelector(".jp-RenderedMarkdown"));
  const { top, menu } = jupyterapp.shell;
  if (matchMedia(SMALL).matches) for (const part of [top, menu, panel.toolbar]) part.hide();
  return panel;
}

function lead(event) {
  // A link to another lesson opens it here, one to a text its page.
  const link = event.target.closest?.(".jp-RenderedMarkdown a"), [, name, kind] = link?.pathname.match(/([^/]+)\.(ipynb|md)$/) ?? [];
  if (!name || link.origin !== location.origin) return;
  const to = kind === "md" ? `${name}.html` : `notebooks/index.html?path=${name}.ipynb`;
  const { hash } = link;
  for (const attribute of ["data-commandlinker-command", "data-commandlinker-args", "target"]) link.removeAttribute(attribute);
  link.href = new URL(to + hash, ROOT);
}

async function started(session) {
  // Wait until Python runs and has what the first picture needs, and tell how long it takes.
  const begun = performance.now();
  let waits = true, kernel;
  const tell = async () => {
    while (waits) {
      const now = Math.round((performance.now() - begun) / 1000);
      const long = now > SECONDS ? `${now} s, longer than usual` : `${now} s of about ${SECONDS}`;
      say(now > LATE ? "Python doesn't start here. Reload the page, or try another browser." : `Python ${
        kernel ? "loads the lesson's library" : "starts"}: ${long}. You can read already.`);
      await pause(500);
    }
  };
  tell();
  await session.ready;
  kernel = await until(() => session.session?.kernel);
  await kernel.requestExecute({ code: WARM, silent: true, store_history: false }).done;
  waits = false;
}

function liven({ content, sessionContext }) {
  // Run each cell that comes into sight, and before it those above. What a reader is changing waits to be told.
  const cells = content.widgets, source = cell => cell.model.sharedModel.getSource();
  const failed = ({ outputs }) => outputs.toJSON().some(({ output_type }) => output_type === "error");
  const settled = new Map(), ran = new Set(); // the source of each cell as it was run; those that this Python has run
  let wanted = -1, runs = false, ready = false, python = 0; // which Python it is, counted from the first
  const run = async mine => {
    for (let k = 0; k <= wanted && mine === python; k++) {
      const cell = cells[k];
      if (!settled.has(cell) || ran.has(cell) || cell.isDisposed || cell.model.executionState === "running") continue;
      if (settled.get(cell) !== source(cell) || failed(cell.model)) continue;
      ran.add(cell);
      say("Bringing the cells down to here to life …");
      await fresh(cell, sessionContext).catch(() => 0); // what went wrong stands there in red
    }
    if (mine !== python) return;
    runs = false;
    say("Live: drag a slider. A cell that you change runs when you press Run.");
  };
  const want = k => {
    wanted = Math.max(wanted, k);
    if (ready && !runs && wanted >= 0) (runs = true), run(python);
  };
  const watch = cell => {
    settled.set(cell, source(cell));
    cell.model.stateChanged.connect(({ executionState, executionCount }, { name }) => {
      // A cell that was only meant to be run, when one above it failed, has no number.
      if (name === "executionState" && executionState === "idle" && executionCount) ran.add(cell), settled.set(cell, source(cell));
    });
    sight.observe(cell.node);
  };
  const sight = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) want(cells.findIndex(({ node }) => node === target));
  }, { rootMargin: "100px" });
  cells.filter(({ model }) => model.type === "code").forEach(watch);
  const begin = async () => {
    const mine = ++python;
    ready = runs = false;
    ran.clear();
    await started(sessionContext);
    if (mine !== python) return;
    ready = true;
    want(cells.findIndex(({ node }) => node.querySelector(".jp-OutputArea img, .posenc"))); // wherever the first picture is
  };
  sessionContext.statusChanged.connect((_, now) => now.endsWith("restarting") && begin());
  return begin();
}

async function fresh(cell, session) {
  // Run a cell. A picture that stands there stays until the new one is drawn.
  const area = cell.node.querySelector(".jp-Cell-outputWrapper"), old = area?.querySelector("img") && area.cloneNode(true);
  if (old) area.before(old), area.classList.add("posenc-coming");
  try {
    await cell.constructor.execute(cell, session, {});
    const drawn = () => area.querySelector(".posenc-picture canvas[data-frame]") ?? !area.querySelector(".jupyter-widgets");
    if (old) await Promise.race([until(drawn), pause(20_000)]);
  } finally {
    old?.remove(), area?.classList.remove("posenc-coming");
  }
}

function keep({ context, content }) {
  // Keep what a reader changes in this browser. A page that nobody has changed isn't kept: it stays the newest one.
  // Return whether the lesson has changed since the reader changed it.
  const [, name] = KEPT, based = localStorage.getItem(name); // the lesson that was changed, if it has been
  const sources = () => JSON.stringify(content.model.toJSON().cells.map(({ source }) => source)), first = sources();
  let kept = Boolean(based);
  const store = async () => {
    kept ||= sources() !== first;
    if (over || !kept) return;
    localStorage.setItem(name, based ?? LESSON.edition);
    await context.save();
  };
  let soon;
  const whole = context.model.toJSON.bind(context.model);
  context.model.toJSON = () => asPictures(whole()); // this is what is saved
  content.model.contentChanged.connect(() => (clearTimeout(soon), (soon = setTimeout(store, SOON))));
  document.addEventListener("visibilitychange", () => document.hidden && store());
  return kept && based !== LESSON.edition;
}

function asPictures(notebook) {
  // What is kept of a panel is its picture: nothing else can be shown until Python runs again.
  const data = notebook.cells.flatMap(({ outputs }) => outputs ?? []).map(({ data }) => data ?? {});
  for (const each of data) if (each["text/html"]) delete each["application/vnd.jupyter.widget-view+json"];
  delete notebook.metadata.widgets;
  return notebook;
}

let over = false; // nothing is to be kept any more

async function restart() {
  // Bring the page back to what it was.
  if (!confirm("Start this page over? Your answers, drawings and changes on it will be gone.")) return;
  over = true;
  for (const key of Object.keys(localStorage)) if (KEPT.some(mine => key.startsWith(mine))) localStorage.removeItem(key);
  await jupyterapp.serviceManager.contents.delete(FILE).catch(() => 0); // where nothing is kept
  location.reload();
}

async function main() {
  show(), say("Opening the lesson …");
  const { warn } = console;
  console.warn = (...words) => MEANT.test(words) || warn(...words);
  // JupyterLite would ask before it leaves a page that has changed
  window.addEventListener("beforeunload", event => event.stopImmediatePropagation(), true);
  for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, lead, true);
  const panel = await opened(), press = (name, act) => bar.querySelector(`[name=${name}]`).addEventListener("click", act);
  cover.remove();
  if (location.hash) panel.setFragment(decodeURIComponent(location.hash));
  press("run", () => jupyterapp.commands.execute("notebook:run-cell-and-select-next"));
  press("restart", restart);
  const newer = keep(panel);
  await liven(panel);
  if (newer) say("This lesson has changed since you worked on it. Start over shows how it is now.");
}

main();
