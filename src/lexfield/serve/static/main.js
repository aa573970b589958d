// @ts-check
// The frame: collection and filter on the left, a view in the middle, a text to read on the right.
import { render, useEffect, useErrorBoundary, useRef, useState } from "./vendor/preact-htm.js";
import { forgetAnswers, holdings } from "./lib/api.js";
import { onBack, onGone, onRenewed } from "./lib/connection.js";
import { Palette, openPalette } from "./lib/palette.js";
import { Pins, usePins } from "./lib/pins.js";
import { Reader } from "./lib/reader.js";
import { go, href, isKnown, onGo, useRoute } from "./lib/route.js";
import { Sidebar } from "./lib/sidebar.js";
import { learnTitles } from "./lib/text.js";
import { Page, Trouble, html, keepChoice, say } from "./lib/ui.js";
import { Compare } from "./views/compare.js";
import { Import } from "./views/import.js";
import { MapView } from "./views/map.js";
import { Overview } from "./views/overview.js";
import { Search } from "./views/search.js";
import { Topics } from "./views/topics.js";
import { Trends } from "./views/trends.js";

/** A view whose scripts are loaded when it is opened for the first time.
 * @param {() => Promise<any>} load its component */
function later(load) {
  /** @type {any} */
  let View = null;
  return () => {
    const [problem, setProblem] = useState(/** @type {any} */ (null));
    const [, draw] = useState(0);
    useEffect(() => {
      if (View) return;
      load().then(
        (found) => draw((View = found) && 1),
        () => setProblem({ message: "This view could not be loaded.", hint: "Load the page again." }),
      );
    }, []);
    return View ? html`<${View} />` : html`<${Trouble} problem=${problem} />`;
  };
}

/** @type {Record<string, [string, any]>} */
const VIEWS = {
  overview: ["Overview", Overview],
  search: ["Search", Search],
  compare: ["Compare", Compare],
  map: ["Map", MapView],
  trends: ["Trends", Trends],
  topics: ["Topics", Topics],
  measure: ["Measure", later(async () => (await import("./views/measure.js")).Measure)],
};
const OTHERS = { import: ["Add texts", Import], read: ["Read", () => html`<${Reader} alone />`] };

function App() {
  const { view, params } = useRoute();
  const [server, setServer] = useState(/** @type {import("./lib/types").Holdings | null} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [fault, clearFault] = useErrorBoundary((error) => console.error(error));
  const [drawer, setDrawer] = useState(false);
  const [pinned, setPinned] = useState(false);
  const refresh = async () => {
    forgetAnswers();
    try {
      setServer(await holdings());
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => void refresh(), []);
  useEffect(() => onBack(() => void refresh()), []);
  const index = params.get("index") ?? remembered(server);
  const about = server?.indexes.find((one) => one.id === index);
  learnTitles(about?.metadata ?? {});
  const [title, View] = VIEWS[view] ?? OTHERS[view];
  useEffect(() => {
    if (index && about) keepChoice("index", index);
    document.title = `${title}${about ? ` · ${about.id}` : ""} · lexfield`;
  });
  useEffect(() => {
    onGo((arrived) => {
      clearFault();
      if (!arrived) return;
      setDrawer(false);
      document.getElementById("main")?.focus({ preventScroll: true });
      scrollTo(0, 0);
      say(document.title);
    });
  }, []);
  useEffect(() => {
    if (server && !server.indexes.length && view !== "import") go("/import", { replace: true });
  }, [server, view]);
  const where = params.getAll("where");
  const page = { server, index, about, where, refresh, params, view };
  const reading = view !== "read" && params.has("doc");
  const classes = [pinned && "pinned", reading && "reading", (view === "import" || !about) && "bare"]
    .filter(Boolean)
    .join(" ");
  const inside = !server
    ? html`<${Trouble} problem=${problem} retry=${refresh} />${!problem && html`<p class="hint">Loading…</p>`}`
    : fault
      ? html`<${Trouble}
          problem=${{ message: "This view has stopped.", hint: "Go to another one, or load the page again." }}
        />`
      : isKnown() && (about || view === "import")
        ? html`<${View} key=${`${view} ${index}`} />`
        : html`<${Nowhere} index=${index} server=${server} />`;
  return html`<${Page.Provider} value=${page}>
    <${Header} view=${isKnown() ? view : ""} index=${index} filters=${where.length} drawer=${drawer}
      canFilter=${!!about && view !== "import"}
      onFilter=${() => setDrawer(!drawer)} onPins=${() => setPinned(!pinned)} />
    <div class="frame ${classes}">
      ${about && view !== "import" && html`<${Sidebar} open=${drawer} close=${() => setDrawer(false)} />`}
      <main id="main" tabindex="-1" class="view-${view}">${inside}</main>
      ${reading && about && html`<${Reader} />`}
    </div>
    ${pinned && html`<${Pins} close=${() => setPinned(false)} />`}
    <${Palette} />
  </${Page.Provider}>`;
}

/** An address of a collection or a page that is not here. */
function Nowhere({ index, server }) {
  const message = isKnown() ? `There is no collection ${index ?? ""}.` : `There is no page ${location.pathname}.`;
  const hint = isKnown() ? "Open one of these, or add texts." : "Choose a view above, or open a collection.";
  return html`<${Trouble} problem=${{ message, hint }} />
    <ul class="examples">
      ${server.indexes.map(
        ({ id }) => html`<li>
        <a href=${`/overview?index=${encodeURIComponent(id)}`}>${id}</a>
      </li>`,
      )}
      <li><a href="/import">Add texts</a></li>
    </ul>`;
}

/** @param {import("./lib/types").Holdings | null} server */
function remembered(server) {
  const ids = server?.indexes.map((one) => one.id) ?? [];
  const last = localStorage.getItem("index");
  return last && ids.includes(last) ? last : ids[0];
}

function Header({ view, index, filters, canFilter, onFilter, onPins, drawer }) {
  const pins = usePins();
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const measure = () =>
      document.documentElement.style.setProperty("--top", `${box.current?.getBoundingClientRect().height ?? 0}px`);
    const watch = new ResizeObserver(measure);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return html`<header class="top" ref=${box}>
    <a class="brand" aria-label="lexfield" href=${index ? href("overview", {}) : "/import"}
      ><img src="/static/icon.svg" alt="" width="24" height="24" /><span>lexfield</span></a
    >
    ${
      canFilter &&
      html`<button type="button" class="icon only-narrow" aria-expanded=${String(drawer)} onClick=${onFilter}>
        Filter${filters > 0 && html` <b>${filters}</b>`}
      </button>`
    }
    <nav aria-label="Views">
      <ul>
        ${Object.entries(index ? VIEWS : {}).map(
          ([name, [title]]) =>
            html`<li>
              <a href=${href(name)} aria-current=${name === view ? "page" : undefined}>${title}</a>
            </li>`,
        )}
      </ul>
    </nav>
    <div class="right">
      <button type="button" class="icon find" title="Find a document or a command" onClick=${openPalette}>
        <span aria-hidden="true">⌕</span> <span class="wide">Find</span><kbd class="wide">Ctrl K</kbd>
      </button>
      <button type="button" class="icon" title="What you have pinned"
        aria-label=${pins.length ? `Pins ${pins.length}` : "Pins"} onClick=${onPins}>
        <span aria-hidden="true">✦</span> <span class="wide">Pins</span>${
          pins.length > 0 && html`${" "}<b>${pins.length}</b>`
        }
      </button>
      <${Theme} />
    </div>
  </header>`;
}

const THEMES = { auto: ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };
function Theme() {
  const [theme, setTheme] = useState(localStorage.getItem("theme") ?? "auto");
  const [sign, text] = THEMES[theme] ?? THEMES.auto;
  const next = () => {
    const names = Object.keys(THEMES);
    const chosen = names[(names.indexOf(theme) + 1) % names.length];
    keepChoice("theme", chosen);
    setTheme(chosen);
    dispatchEvent(new Event("themechoice"));
  };
  const label = `Colours: ${text}. Change`;
  return html`<button type="button" class="icon" aria-label=${label} title=${label} onClick=${next}>${sign}</button>`;
}

/** @type {Record<string, HTMLElement>} */
const banners = Object.fromEntries(
  ["gone", "renewed"].map((id) => [id, /** @type {HTMLElement} */ (document.getElementById(id))]),
);
/** @param {string} name */
function tell(name) {
  for (const [other, banner] of Object.entries(banners)) banner.hidden = other !== name;
  if (name) say(banners[name].textContent ?? "");
}
onGone(() => tell("gone"));
onRenewed(() => tell("renewed"));
onBack(() => {
  tell("");
  say("The server is back.");
});

// "/" goes to the first field of the view, as on many pages.
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (
    event.key !== "/" ||
    event.ctrlKey ||
    event.metaKey ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=file])")
  )
    return;
  const first = document.querySelector("main textarea, main input:not([type=checkbox], [type=radio], [type=range])");
  if (!(first instanceof HTMLElement)) return;
  event.preventDefault();
  first.focus();
});

const app = /** @type {HTMLElement} */ (document.getElementById("app"));
app.textContent = "";
render(html`<${App} />`, app);
