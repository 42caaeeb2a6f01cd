/* The search, over an index that is loaded when it is opened. */
import { findSections, MAX_RESULTS, openIndex } from "./find-sections.js";

const SITE = "/docs";
const SNIPPET_LENGTH = 140;
const SNIPPET_LEAD = 40;

/** Builds an element. Text is never parsed as markup. */
export function element(name, properties = {}, ...children) {
  const built = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") built.setAttribute(key, value);
    else built[key] = value;
  }
  built.append(...children);
  return built;
}

let loading = null;
let index = null;

/** A failed load is tried again with the next letter. */
function loadIndex() {
  loading ??= fetch(`${SITE}/search.json`)
    .then(async (response) => {
      if (!response.ok) throw new Error(`the search index answered ${response.status}`);
      index = openIndex(await response.json());
      return index;
    })
    .finally(() => {
      if (index === null) loading = null;
    });
  return loading;
}

/** The text around the first match, with the words marked. */
function snippetOf({ text, lowText }, words) {
  const first = Math.min(...words.map((word) => lowText.indexOf(word)).filter((at) => at >= 0), text.length);
  const from = first === text.length || first < SNIPPET_LEAD ? 0 : first - SNIPPET_LEAD;
  const piece = `${from > 0 ? "…" : ""}${text.slice(from, from + SNIPPET_LENGTH)}${text.length > from + SNIPPET_LENGTH ? "…" : ""}`;
  return markWords(piece, words);
}

function markWords(text, words) {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text
    .split(new RegExp(`(${escaped.join("|")})`, "gi"))
    .map((piece, index) => (index % 2 === 1 ? element("mark", {}, piece) : piece));
}

function renderResult(section, index, words) {
  const { href, title, heading } = section;
  const name = heading === "" ? markWords(title, words) : [element("small", {}, title), ...markWords(heading, words)];
  return element(
    "a",
    { href, tabIndex: -1, role: "option", id: `result-${index}`, "aria-selected": "false" },
    element("strong", {}, ...name),
    element("span", {}, ...snippetOf(section, words)),
  );
}

function createSearch() {
  const input = element("input", {
    type: "search",
    placeholder: "Search the documentation",
    autocomplete: "off",
    spellcheck: false,
    role: "combobox",
    "aria-label": "Search the documentation",
    "aria-expanded": "false",
    "aria-controls": "results",
    "aria-autocomplete": "list",
  });
  const list = element("div", { id: "results", role: "listbox", "aria-label": "Results" });
  const status = element("p", { role: "status" });
  const close = element("button", { type: "button", textContent: "Close" });
  const dialog = element(
    "dialog",
    { className: "search", "aria-label": "Search" },
    element("div", { className: "search-head" }, input, close),
    status,
    list,
  );
  let selected = -1;

  const select = (index) => {
    const items = [...list.children];
    items[selected]?.setAttribute("aria-selected", "false");
    selected = items.length === 0 ? -1 : (index + items.length) % items.length;
    const item = items[selected];
    if (item === undefined) return input.removeAttribute("aria-activedescendant");
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", item.id);
  };

  const update = async () => {
    const query = input.value;
    let known;
    try {
      known = await loadIndex();
    } catch {
      status.textContent = "The search is not available. All pages are under “Pages”.";
      return;
    }
    if (input.value !== query) return;
    const { words, results } = findSections(known, query);
    list.replaceChildren(...results.map((section, index) => renderResult(section, index, words)));
    selected = -1;
    input.setAttribute("aria-expanded", String(results.length > 0));
    status.textContent =
      words.length === 0
        ? "Type words, an error code or a setting."
        : results.length === 0
          ? "Nothing found."
          : `${results.length === MAX_RESULTS ? "The first " : ""}${results.length} ${results.length === 1 ? "result" : "results"}`;
    select(0);
  };

  input.addEventListener("input", () => void update());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Enter") list.children[selected]?.click();
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => dialog.close());
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return () => {
    dialog.showModal();
    input.select();
    void update();
  };
}

export function addSearch() {
  const link = document.querySelector(".search-open");
  let openDialog = null;
  const open = (event) => {
    event.preventDefault();
    openDialog ??= createSearch();
    openDialog();
  };
  link.querySelector("kbd").hidden = false;
  link.setAttribute("role", "button");
  link.addEventListener("click", open);
  link.addEventListener("keydown", (event) => {
    if (event.key === " ") open(event);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isCommand = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey);
    if (isCommand || (event.key === "/" && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey)) open(event);
  });
}
