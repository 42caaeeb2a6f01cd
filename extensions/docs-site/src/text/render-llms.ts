import { DECISION_GROUP, type NavigationEntry } from "../content/navigation.ts";
import { GUIDE_GROUPS, USER_GROUPS } from "../search/build-search-index.ts";
import { listPages, type SiteMap, urlOf } from "../page/site-map.ts";

const README = "README.md";

const TABLE_PAGES = "docs/reference/tables/";

/** The list of pages for language models, in the format of llmstxt.org: its section "Optional" can be left out. */
export function renderLlms(map: SiteMap): string {
  const groups = map.navigation.filter(({ title }) => USER_GROUPS.includes(title));
  // Decisions are reached from their first page.
  const others = map.navigation
    .filter(({ title }) => !USER_GROUPS.includes(title) && title !== DECISION_GROUP)
    .flatMap(({ entries }) => entries);
  const isTable = ({ file }: NavigationEntry): boolean => file.startsWith(TABLE_PAGES);
  const sections = [
    ...groups,
    { title: "Tables", entries: others.filter(isTable) },
    { title: "Optional", entries: others.filter((entry) => !isTable(entry)) },
  ];
  return [
    "# Swarmbase\n",
    `> ${map.parsed.get(README)?.description ?? ""}\n`,
    `Version ${map.version}. The links lead to Markdown. [All guides in one file](/llms-full.txt).\n`,
    ...sections.map(({ title, entries }) => {
      const isGuide = GUIDE_GROUPS.includes(title);
      return `## ${title}\n\n${entries.map((entry) => renderEntry(map, entry, isGuide)).join("")}`;
    }),
  ].join("\n");
}

/** The description of a guide begins with its audience: "developers: …". */
function renderEntry(map: SiteMap, { title, description, file }: NavigationEntry, isGuide: boolean): string {
  const [sentence = ""] = /^.*?(?:\.(?=\s|$)|$)/s.exec(description) ?? [];
  const told = sentence === "" ? "" : `: ${isGuide ? "For " : ""}${sentence.replace(/[.:]?$/, ".")}`;
  return `- [${title}](${addressOf(map, file)})${told}\n`;
}

/** The guides one after the other, as they are in their files. */
export async function renderLlmsFull(map: SiteMap): Promise<string> {
  const guides = map.navigation.filter(({ title }) => GUIDE_GROUPS.includes(title));
  const pages = await Promise.all(
    listPages({ ...map, navigation: guides }).map(
      async ({ file }) => `<!-- ${addressOf(map, file)} -->\n\n${(await map.content.read(file)).toString().trim()}\n`,
    ),
  );
  const lead = `# Swarmbase ${map.version}: all guides\n\nLinks of a page are relative to the address in the line above it.\n`;
  return [lead, ...pages].join("\n");
}

function addressOf(map: SiteMap, file: string): string {
  return urlOf(map, file) + (map.content.pages.has(file) ? ".md" : "");
}
