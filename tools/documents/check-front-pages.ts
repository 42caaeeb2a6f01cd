import type { DocumentRule } from "./rule.ts";

const REQUIRED_PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md", "docs/README.md"];

/** About three screens, with one picture. */
const MAX_README_WORDS = 800;

/** The front pages exist, the README fits three screens, and the changelog has an "Unreleased" section. */
export const checkFrontPages: DocumentRule = ({ pages }) => {
  const readme = pages.get("README.md") ?? "";
  const missing = REQUIRED_PAGES.filter((path) => !pages.has(path)).map((path) => `${path}: is missing`);
  if (readme.split(/\s+/).length > MAX_README_WORDS) missing.push(`README.md: has more than ${MAX_README_WORDS} words`);
  if (readme.split("![").length > 2) missing.push("README.md: has more than one picture");
  const firstRelease = /^## .*$/m.exec(pages.get("CHANGELOG.md") ?? "")?.[0];
  const isOpen =
    firstRelease === undefined ? !pages.has("CHANGELOG.md") : /^## \[?Unreleased\]?\s*$/.test(firstRelease);
  return isOpen ? missing : [...missing, 'CHANGELOG.md: the first heading of level two must be "## Unreleased"'];
};

const CLI_REFERENCE = "docs/reference/cli.md";
/** A command of the service, with the rest of the line or of the quotation. */
const SERVICE_COMMAND =
  /(?:\bnpx swarmbase|\bnpm (?:--silent )?run (?:--silent )?swarmbase(?: (?:--silent )?--)?|(?<=^|`|\$ |&& )swarmbase) ([a-z][a-z-]*)([^\n`|&;#]*)/gm;
const TEXT_OF_SHELL = /"[^"]*"|'[^']*'/g;
const OPTION = /(?<=[ [(])--[a-z][a-z-]*/g;

/** Every npm script that a page mentions exists in package.json, and every command of the service, with its options, in its reference. */
export const checkCommands: DocumentRule = ({ pages, scripts }) => {
  const options = listOptions(pages.get(CLI_REFERENCE) ?? "");
  return [...pages].flatMap(([path, text]) => [
    ...[...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)]
      .map(([, script, short]) => script ?? short ?? "")
      .filter((script) => !scripts.has(script))
      .map((script) => `${path}: package.json has no script "${script}"`),
    ...[...text.matchAll(SERVICE_COMMAND)].flatMap(([, name = "", rest = ""]) => {
      const known = options.get(name);
      if (known === undefined) return [`${path}: swarmbase has no command "${name}"`];
      const used = rest.replaceAll(TEXT_OF_SHELL, "").match(OPTION) ?? [];
      return used
        .filter((option) => !known.has(option))
        .map((option) => `${path}: swarmbase ${name} has no option "${option}"`);
    }),
  ]);
};

/** The options of each command. Its forms, such as `backup --verify`, have sections of their own. */
function listOptions(reference: string): ReadonlyMap<string, ReadonlySet<string>> {
  const options = new Map([["help", new Set<string>()]]);
  for (const section of reference.split(/^## /m).slice(1)) {
    const name = /^[a-z-]+/.exec(section)?.[0] ?? "";
    options.set(name, new Set([...(options.get(name) ?? []), ...(section.match(/--[a-z][a-z-]*/g) ?? [])]));
  }
  return options;
}
