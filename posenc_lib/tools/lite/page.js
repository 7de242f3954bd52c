// Around a lesson in the browser: its picture at once, Python's start, cells that run as they come into sight, what a
// reader has done, and a bar with what is going on.

const FILE = new URLSearchParams(location.search).get("path") ?? "", LESSON = PAGES[FILE] ?? {};
const ROOT = new URL("../", location.href.split(/[?#]/)[0]);
const KEPT = [`posenc-drawing ${location.pathname}${FILE}`, `posenc-lesson ${location.pathname}${FILE}`]; // see guess.js
const SOON = 700; // ms after a change until it is kept
const LATE = 120; // s after which Python won't come any more
const SMALL = "(max-width: 600px), (max-height: 500px)"; // as in page.css
const MEANT = /NOT be synced|is duplicated/; // what JupyterLite warns of, and is to be so here
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
  const { name, title, question, picture, ...image } = LESSON, part = tag => cover.querySelector(tag);
  document.getElementById("posenc-site").hidden = !SITE || !name;
  document.getElementById("posenc-site").href = new URL(`${SITE}${name}`, ROOT);
  if (!title) return;
  document.title = part("h1").textContent = title;
  part("p").textContent = question;
  picture ? Object.assign(part("img"), image, { src: new URL(`first/${picture}`, ROOT) }) : part("img").remove();
}

async function opened() {
  // The notebook, as soon as its first words are on the page.
  const panel = await until(() => window.jupyterapp?.shell?.currentWidget?.content?.widgets && jupyterapp.shell.currentWidget);
  await panel.context.ready;
  await until(() => panel.node.querySelector(".jp-RenderedMarkdown"));
  if (matchMedia(SMALL).matches) for (const part of [jupyterapp.shell.menu, panel.toolbar]) part.hide();
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
      say(now > LATE ? "Python doesn't start here. Reload the page, or try another browser." : `Python ${
        kernel ? "loads the lesson's library" : "starts"}: ${now} s of about ${SECONDS}. You can read already.`);
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
  // Run each cell that comes into sight, and before it those above. One that a reader has changed waits to be told.
  const cells = [...content.widgets], source = cell => cell.model.sharedModel.getSource();
  const failed = ({ outputs }) => outputs.toJSON().some(({ output_type }) => output_type === "error");
  const waiting = new Map(cells.filter(({ model }) => model.type === "code" && !failed(model)).map(cell => [cell, source(cell)]));
  let wanted = -1, runs = false;
  const stop = words => (sight.disconnect(), waiting.clear(), say(words));
  const run = async () => {
    for (let k = 0; k <= wanted; k++) {
      const was = waiting.get(cells[k]);
      waiting.delete(cells[k]);
      if (was === undefined || was !== source(cells[k]) || cells[k].isDisposed) continue;
      say("Bringing the cells down to here to life …");
      await fresh(cells[k], sessionContext);
    }
    runs = false;
    say("Live: drag a slider. A cell that you change runs when you press Run.");
  };
  const want = k => {
    wanted = Math.max(wanted, k);
    if (!runs && wanted >= 0) (runs = true), run().catch(() => stop("A cell has failed. From here on, run the cells yourself."));
  };
  const sight = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) want(cells.findIndex(({ node }) => node === target));
  }, { rootMargin: "100px" });
  for (const cell of waiting.keys()) {
    sight.observe(cell.node);
    cell.model.stateChanged.connect((_, { name }) => name === "executionState" && waiting.delete(cell)); // it runs
  }
  sessionContext.statusChanged.connect((_, now) => now.endsWith("restarting") && stop("Python starts anew. Run the cells from the top."));
  want(cells.findIndex(({ node }) => node.querySelector(".jp-OutputArea img"))); // wherever the first picture is
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

async function keep({ context, content }) {
  // Keep what a reader changes in this browser. A page that nobody has changed isn't kept: it stays the newest one.
  // Return whether the lesson has changed since the reader changed it.
  const sources = ({ cells }) => JSON.stringify(cells.map(({ source }) => [source].flat().join("")));
  const lesson = sources(await (await fetch(new URL(`files/${FILE}`, ROOT))).json()), [, name] = KEPT;
  const changed = () => sources(content.model.toJSON()) !== lesson;
  const store = async () => {
    if (over || !changed()) return;
    localStorage.setItem(name, localStorage.getItem(name) ?? lesson);
    await context.save();
  };
  let soon;
  content.model.contentChanged.connect(() => (clearTimeout(soon), (soon = setTimeout(store, SOON))));
  document.addEventListener("visibilitychange", () => document.hidden && store());
  return changed() && ![null, lesson].includes(localStorage.getItem(name));
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
  const newer = await keep(panel);
  await started(panel.sessionContext);
  liven(panel);
  if (newer) say("This lesson has changed since you worked on it. Start over shows how it is now.");
}

main();
