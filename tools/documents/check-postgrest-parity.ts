import type { DocumentRule, DocumentTree } from "./rule.ts";
import { hasTest } from "./test-titles.ts";

const PAGE = "docs/reference/postgrest-parity.md";
const ANSWERS: ReadonlySet<string> = new Set(["yes", "differs", "no"]);
/** `path::title`, or the folder of the tests, in backticks. */
const NAMED = /`((?:server|acceptance)\/[\w./-]+)(?:::([^`]+))?`/g;
/** For what needs an extension that the test server does not have. */
const NOT_RUN = "not run in the suite";

/** Each behaviour says whether it is the same, and names an existing test or says why there is none. */
export const checkPostgrestParity: DocumentRule = (tree) => {
  const text = tree.pages.get(PAGE);
  if (text === undefined) return [`${PAGE}: is missing`];
  return text.split("\n").flatMap((line) => (isRow(line) ? checkRow(line, tree) : []));
};

function isRow(line: string): boolean {
  return line.startsWith("| ") && !line.startsWith("| behaviour |");
}

function checkRow(line: string, { readSource, exists }: DocumentTree): string[] {
  const [behaviour = "", answer = "", why = "", ...others] = line
    .split(" | ")
    .map((cell) => cell.replace(/^\| | \|$/g, ""));
  const fault = (message: string): string => `${PAGE}: ${behaviour}: ${message}`;
  if (others.length > 0) return [fault("has more than three cells")];
  if (!ANSWERS.has(answer)) return [fault(`says neither ${[...ANSWERS].join(" nor ")}`)];
  const named = [...why.matchAll(NAMED)];
  if (answer === "no") return why === "" ? [fault("does not say why not")] : [];
  if (named.length === 0 && !why.startsWith(NOT_RUN)) return [fault("names no test")];
  return named.flatMap(([, path = "", title]) => {
    if (title === undefined) return exists(path) ? [] : [fault(`${path} does not exist`)];
    const source = readSource(path);
    if (source === null) return [fault(`${path} does not exist`)];
    return hasTest(source, title) ? [] : [fault(`${path} has no test "${title}"`)];
  });
}
