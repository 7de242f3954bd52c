// Around a lesson in the browser: its picture at once, Python's start, cells that run when they come into sight, the
// reader's changes, and a status bar.

const FILE = new URLSearchParams(location.search).get("path") ?? "", LESSON = PAGES[FILE] ?? {};
const ROOT = new URL("../", location.href.split(/[?#]/)[0]);
const KEPT = [`posenc-drawing ${location.pathname}${FILE}`, `posenc-lesson ${location.pathname}${FILE}`]; // see guess.js
const SOON = 700; // ms until a change is saved
const LONG = 3000; // ms of work that's told
const LATE = 120; // s after which Python won't come
const SMALL = "(max-width: 600px), (max-height: 500px)"; // as in page.css
const MEANT = /NOT be synced|is duplicated|Connection lost/; // JupyterLite's warnings about what's intended here
const LIVE = "It's live: drag a slider. If you change a cell, press Run.";
const RUNNING = "Running the cells up to here …";
const BUSY = "Python is busy. If that never ends, reload the page: this cell then waits for Run.";
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
  // The lesson as a picture, until there's more.
  const { name, title, question, picture, alt, width } = LESSON, part = tag => cover.querySelector(tag);
  document.getElementById("posenc-site").hidden = !SITE || !name;
  document.getElementById("posenc-site").href = new URL(`${SITE}${name}`, ROOT);
  if (!title) return;
  document.title = part("h1").textContent = title;
  part("p").textContent = question;
  picture ? Object.assign(part("img"), { alt, width, src: new URL(`first/${picture}`, ROOT) }) : part("img").remove();
}

async function opened() {
  // The notebook, once its first words are on the page.
  const panel = await until(() => window.jupyterapp?.shell?.currentWidget?.content?.widgets && jupyterapp.shell.currentWidget);
  await panel.context.ready;
  await until(() => panel.node.querySelector(".jp-RenderedMarkdown"));
  const { top, menu } = jupyterapp.shell;
  if (matchMedia(SMALL).matches) for (const part of [top, menu, panel.toolbar]) part.hide();
  return panel;
}

function lead(event) {
  // A link to a lesson opens it here; a link to a text opens its page.
  const link = event.target.closest?.(".jp-RenderedMarkdown a"), [, name, kind] = link?.pathname.match(/([^/]+)\.(ipynb|md)$/) ?? [];
  if (!name || link.origin !== location.origin) return;
  const to = kind === "md" ? `${name}.html` : `notebooks/index.html?path=${name}.ipynb`;
  const { hash } = link;
  for (const attribute of ["data-commandlinker-command", "data-commandlinker-args", "target"]) link.removeAttribute(attribute);
  link.href = new URL(to + hash, ROOT);
}

async function started(session) {
  // Wait until Python runs and has what the first picture needs, and say how long it takes.
  const begun = performance.now();
  let waits = true, kernel;
  const tell = async () => {
    while (waits) {
      const now = Math.round((performance.now() - begun) / 1000);
      const long = now > SECONDS ? `${now} s, longer than usual` : `${now} s of about ${SECONDS}`;
      say(now > LATE ? "Python won't start here. Reload the page, or try a different browser." : `Python is ${
        kernel ? "loading the lesson's library" : "starting"}: ${long}. You can start reading.`);
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
  // Run each cell that comes into sight, after those above it. A cell the reader is changing waits for Run.
  const cells = content.widgets, source = cell => cell.model.sharedModel.getSource();
  const failed = ({ outputs }) => outputs.toJSON().some(({ output_type }) => output_type === "error");
  const settled = new Map(), ran = new Set(); // each cell's source when it was run; the cells this Python has run
  let wanted = -1, runs = false, ready = false, python = 0; // which Python this is, counting from the first
  const run = async mine => {
    for (let k = 0; k <= wanted && mine === python; k++) {
      const cell = cells[k];
      if (!settled.has(cell) || ran.has(cell) || cell.isDisposed || cell.model.executionState === "running") continue;
      if (settled.get(cell) !== source(cell) || failed(cell.model)) continue;
      ran.add(cell);
      if (status.textContent !== BUSY) say(RUNNING);
      await fresh(cell, sessionContext).catch(() => 0); // the error is there in red
    }
    if (mine !== python) return;
    runs = false;
    if (sessionContext.session?.kernel?.status !== "busy") say(LIVE); // otherwise, once it's idle
  };
  const want = k => {
    wanted = Math.max(wanted, k);
    if (ready && !runs && wanted >= 0) (runs = true), run(python);
  };
  const endless = `${KEPT[1]} endless`, waits = localStorage.getItem(endless); // the cell a page was left in
  const watch = cell => {
    if (cell.model.id !== waits) settled.set(cell, source(cell));
    cell.model.stateChanged.connect(({ executionState, executionCount }, { name }) => {
      // A cell that didn't get to run, because one above it failed, has no number.
      if (name !== "executionState" || executionState !== "idle" || !executionCount) return;
      ran.add(cell), settled.set(cell, source(cell));
      if (localStorage.getItem(endless) === cell.model.id) localStorage.removeItem(endless);
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
  let long;
  const told = () => {
    const { id } = cells.find(({ model }) => model.executionState === "running")?.model ?? {};
    say(BUSY), id && localStorage.setItem(endless, id);
  };
  sessionContext.statusChanged.connect((_, now) => {
    clearTimeout(long);
    if (now.endsWith("restarting")) begin();
    else if (now === "busy" && ready) long = setTimeout(told, LONG);
    else if (now === "idle" && !runs && [RUNNING, BUSY].includes(status.textContent)) say(LIVE);
  });
  return begin();
}

async function fresh(cell, session) {
  // Run a cell. Its old picture stays until the new one is drawn.
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
  // Save the reader's changes in this browser. An unchanged page isn't saved, so it's always the newest one.
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
  context.model.toJSON = () => asPictures(whole()); // this is what gets saved
  content.model.contentChanged.connect(() => (clearTimeout(soon), (soon = setTimeout(store, SOON))));
  document.addEventListener("visibilitychange", () => document.hidden && store());
  return kept && based !== LESSON.edition;
}

function asPictures(notebook) {
  // Only a panel's picture is saved: nothing else can be shown until Python runs again.
  const data = notebook.cells.flatMap(({ outputs }) => outputs ?? []).map(({ data }) => data ?? {});
  for (const each of data) if (each["text/html"]) delete each["application/vnd.jupyter.widget-view+json"];
  delete notebook.metadata.widgets;
  return notebook;
}

let over = false; // stop saving

async function restart() {
  // Bring the page back to its original state.
  if (!confirm("Start this page over? You'll lose your answers, drawings and changes.")) return;
  over = true;
  for (const key of Object.keys(localStorage)) if (KEPT.some(mine => key.startsWith(mine))) localStorage.removeItem(key);
  await jupyterapp.serviceManager.contents.delete(FILE).catch(() => 0); // if nothing is saved
  location.reload();
}

async function main() {
  show(), say("Opening the lesson …");
  const { warn } = console;
  console.warn = (...words) => MEANT.test(words) || warn(...words);
  // JupyterLite would ask before leaving a changed page
  window.addEventListener("beforeunload", event => event.stopImmediatePropagation(), true);
  for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, lead, true);
  const panel = await opened(), press = (name, act) => bar.querySelector(`[name=${name}]`).addEventListener("click", act);
  cover.remove();
  if (location.hash) panel.setFragment(decodeURIComponent(location.hash));
  press("run", () => jupyterapp.commands.execute("notebook:run-cell-and-select-next"));
  press("restart", restart);
  const newer = keep(panel);
  await liven(panel);
  if (newer) say("This lesson has changed since you worked on it. Press Start over for the new version.");
}

main();
