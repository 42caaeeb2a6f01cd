import { type Html, html } from "swarmbase/extension";
import { INDEX_FILE, type NavigationEntry } from "../content/navigation.ts";
import { SITE } from "../markdown/resolve-link.ts";
import { renderLayout } from "./render-layout.ts";
import { type SiteMap, urlOf } from "./site-map.ts";

const README = "README.md";
const GETTING_STARTED = "docs/guides/getting-started.md";
const NEW_APP = "docs/guides/new-app.md";

/** The front page: the first paragraph of the README, and the index of `docs/` as cards. */
export function renderHome(map: SiteMap): string {
  const lead = map.parsed.get(README)?.description ?? "";
  return renderLayout(map, {
    title: "Documentation",
    description: lead,
    file: INDEX_FILE,
    shape: "home",
    main: html`<section class="hero">
<h1>Build products with AI agents, on one backend</h1>
<p>${lead}</p>
<p class="actions"><a class="button main" href="${urlOf(map, GETTING_STARTED)}">Start in five minutes</a><a class="button" href="${urlOf(map, NEW_APP)}">Create an app</a></p>
</section>
${map.navigation.map(
  ({ title, entries }) =>
    html`<section class="cards"><h2>${title}</h2><ul>${entries.map((entry) => renderCard(map, entry))}</ul></section>`,
)}
<p class="all"><a href="${SITE}/contents">All pages with their sections</a></p>`,
  });
}

function renderCard(map: SiteMap, { title, description, file }: NavigationEntry): Html {
  const { audience, text } = splitAudience(description);
  return html`<li><a href="${urlOf(map, file)}"><strong>${title}</strong>${audience !== null && html`<em>${audience}</em>`}<span>${text}</span></a></li>`;
}

/** The descriptions of guides begin with who reads them: "developers: …". */
function splitAudience(description: string): { readonly audience: string | null; readonly text: string } {
  const [, audience = null, rest = description] = /^([a-z ]{1,40}): (.*)$/s.exec(description) ?? [];
  return { audience, text: rest };
}
