import { type Html, html } from "swarmbase/extension";
import { renderMarkdown } from "../markdown/render-markdown.ts";
import { SITE } from "../markdown/resolve-link.ts";
import type { Heading } from "../markdown/parse-page.ts";
import { renderLayout } from "./render-layout.ts";
import { listPages, type SiteMap, urlOf } from "./site-map.ts";

const DESCRIPTION_LENGTH = 200;
/** With fewer headings, a list of them is no help. */
const MIN_HEADINGS = 2;

/** The page of a Markdown file. */
export function renderPage(map: SiteMap, file: string): string {
  const page = map.parsed.get(file);
  if (page === undefined) throw new Error(`${file} is not a page`);
  const group = map.navigation.find(({ entries }) => entries.some((entry) => entry.file === file));
  const headings = page.headings.filter(({ depth }) => depth === 2 || depth === 3);
  const aside = headings.length < MIN_HEADINGS ? null : renderOutline(headings);
  return renderLayout(map, {
    title: page.title,
    description: page.description.slice(0, DESCRIPTION_LENGTH),
    file,
    shape: "page",
    main: html`${group !== undefined && html`<p class="group">${group.title}</p>`}
<article>
<h1>${page.title}</h1>
${aside !== null && html`<details class="outline-inline"><summary>On this page</summary>${renderList(headings)}</details>`}
${renderMarkdown(map.content, file, page)}
</article>
${renderEnd(map, file)}`,
    ...(aside !== null && { aside }),
  });
}

export function renderMissing(map: SiteMap): string {
  return renderLayout(map, {
    title: "Page not found",
    file: null,
    shape: "page",
    main: html`<article><h1>Page not found</h1>
<p>There is no page at this address. It may have another name in this version of the service.</p>
<p><a href="${SITE}/contents">All pages</a></p></article>`,
  });
}

function renderOutline(headings: readonly Heading[]): Html {
  return html`<nav class="outline" aria-label="On this page"><p>On this page</p>${renderList(headings)}</nav>`;
}

function renderList(headings: readonly Heading[]): Html {
  const items = headings.map(
    ({ depth, text, anchor }) => html`<li class="depth-${depth}"><a href="#${anchor}">${text}</a></li>`,
  );
  return html`<ul>${items}</ul>`;
}

/** The pages before and after, and the source of this one. */
function renderEnd(map: SiteMap, file: string): Html {
  const pages = listPages(map);
  const index = pages.findIndex((page) => page.file === file);
  const previous = pages[index - 1];
  const next = pages[index + 1];
  return html`<footer class="end">
<nav class="steps" aria-label="Previous and next page">
${previous !== undefined && html`<a class="previous" rel="prev" href="${urlOf(map, previous.file)}"><span>Previous</span>${previous.title}</a>`}
${next !== undefined && html`<a class="next" rel="next" href="${urlOf(map, next.file)}"><span>Next</span>${next.title}</a>`}
</nav>
<p class="source"><a href="${urlOf(map, file)}.md">This page as Markdown</a> <code>${file}</code></p>
</footer>`;
}
