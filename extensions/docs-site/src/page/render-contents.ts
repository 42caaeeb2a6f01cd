import { html } from "swarmbase/extension";
import { renderLayout } from "./render-layout.ts";
import { type SiteMap, urlOf } from "./site-map.ts";

/** Every page with its sections: what the search is without script. */
export function renderContents(map: SiteMap): string {
  const groups = map.navigation.map(({ title, entries }) => {
    const items = entries.map(({ title: text, file }) => {
      const sections = (map.parsed.get(file)?.headings ?? []).filter(({ depth }) => depth === 2);
      const links = sections.map(
        (section) => html`<li><a href="${urlOf(map, file)}#${section.anchor}">${section.text}</a></li>`,
      );
      return html`<li><a href="${urlOf(map, file)}">${text}</a>${links.length > 0 && html`<ul>${links}</ul>`}</li>`;
    });
    return html`<h2>${title}</h2><ul class="contents">${items}</ul>`;
  });
  return renderLayout(map, {
    title: "All pages",
    file: null,
    shape: "page",
    main: html`<article><h1>All pages</h1>${groups}</article>`,
  });
}
