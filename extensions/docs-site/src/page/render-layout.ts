import { type Html, html } from "swarmbase/extension";
import type { NavigationGroup } from "../content/navigation.ts";
import { SITE } from "../markdown/resolve-link.ts";
import { type SiteMap, urlOf } from "./site-map.ts";

interface LayoutOptions {
  readonly title: string;
  readonly description?: string;
  /** The file of the page that is shown; null for a page that is no file. */
  readonly file: string | null;
  readonly main: Html;
  /** Beside the text on wide screens. */
  readonly aside?: Html;
  /** A class of the body, for pages with another shape. */
  readonly shape: "page" | "home";
}

/** Groups with long lists of records, which are closed unless the reader is in them. */
const CLOSED_GROUPS: ReadonlySet<string> = new Set(["Decisions", "Packages and tools"]);

const SEARCH_ICON = html`<svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><circle cx="9" cy="9" r="5.5" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="m13.2 13.2 4 4" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>`;
const MENU_ICON = html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 5.5h14M3 10h14M3 14.5h14" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>`;
const THEME_ICON = html`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="6.5" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13Z" fill="currentColor"/></svg>`;
const LOGO = html`<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect class="logo-ground" width="32" height="32" rx="8"/><path class="logo-lines" d="M16 11.5v3M14.4 17.2l-2.6 1.4M17.6 17.2l2.6 1.4" stroke-width="1.4"/><g class="logo-dots"><circle cx="16" cy="8.6" r="3.1"/><circle cx="9.4" cy="20" r="3.1"/><circle cx="22.6" cy="20" r="3.1"/><circle cx="16" cy="16.2" r="1.9"/></g></svg>`;

/** The frame of every page. Everything in it works without script, except the search, which is a link to all pages then. */
export function renderLayout(map: SiteMap, { title, description, file, main, aside, shape }: LayoutOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${description !== undefined && html`<meta name="description" content="${description}">`}
<title>${title} · Swarmbase</title>
<link rel="icon" href="${SITE}/assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${SITE}/assets/docs.css">
<script src="${SITE}/assets/theme.js"></script>
<script type="module" src="${SITE}/assets/docs.js"></script>
</head>
<body class="${shape}">
<a class="skip" href="#_text">Skip to the text</a>
<header class="top">
<button class="icon menu-open" type="button" popovertarget="_menu" aria-label="Pages">${MENU_ICON}</button>
<a class="brand" href="${SITE}">${LOGO}<span>Swarmbase</span> <span class="version">${map.version}</span></a>
<a class="search-open" href="${SITE}/contents">${SEARCH_ICON}<span class="search-label">Search the documentation</span><kbd hidden>/</kbd></a>
<nav class="links" aria-label="Service"><a href="/reference" data-link="reference" hidden>API</a><a href="/" data-link="console" hidden>Console</a></nav>
<button class="icon theme-switch" type="button" aria-label="Switch between light and dark" hidden>${THEME_ICON}</button>
</header>
<div class="frame">
<nav id="_menu" class="menu" popover aria-label="Pages">
${map.navigation.map((group) => renderGroup(map, group, file))}
</nav>
<main id="_text" tabindex="-1">
${main}
</main>
${aside}
</div>
</body>
</html>
`.markup;
}

function renderGroup(map: SiteMap, { title, entries }: NavigationGroup, current: string | null): Html {
  const isOpen = !CLOSED_GROUPS.has(title) || entries.some(({ file }) => file === current);
  const items = entries.map(({ title: text, file }) => {
    const href = urlOf(map, file);
    return file === current
      ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${href}">${text}</a></li>`;
  });
  const summary = html`<summary>${title}</summary><ul>${items}</ul>`;
  return isOpen ? html`<details open>${summary}</details>` : html`<details>${summary}</details>`;
}
