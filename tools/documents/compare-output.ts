const ANYTHING = "…";

/** What is another one each time. Everything else that is printed is a promise. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/(?<![0-9a-f-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f-])/g, "<id>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}(?=…)/g, "<short id>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\b\d+(?:\.\d+)? s\b/g, "<seconds> s"],
  [/(?<=https:\/\/localhost:)\d+/g, "<port>"],
  // A simulated reply ends with a hash of what it was asked.
  [/\([0-9a-f]{8}\)$/gm, "(<hash>)"],
];

/**
 * Null when a page prints what was really said; otherwise what is different. A line "…" in the page stands for any number of
 * lines, "…" within a line for anything in it. Ids, times, durations, ports and hashes may be others; nothing else may.
 */
export function compareOutput(printed: readonly string[], real: string): string | null {
  const said = trimLines(real.split("\n").map(mask));
  let at = 0;
  let maySkip = false;
  for (const line of trimLines(printed.map(mask))) {
    if (line === ANYTHING) {
      maySkip = true;
      continue;
    }
    const pattern = toPattern(line);
    const found = maySkip ? said.findIndex((each, index) => index >= at && pattern.test(each)) : at;
    const words = said[found];
    if (words === undefined || !pattern.test(words)) return describe(line, said.slice(at));
    at = found + 1;
    maySkip = false;
  }
  return maySkip || at === said.length ? null : describe("the end", said.slice(at));
}

function mask(line: string): string {
  return VARYING.reduce((text, [what, name]) => text.replaceAll(what, name), line.trimEnd());
}

/** Empty lines at both ends are the terminal's. */
function trimLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}

function toPattern(line: string): RegExp {
  return new RegExp(`^${line.split(ANYTHING).map(escape).join(".*")}$`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function describe(wanted: string, rest: readonly string[]): string {
  return `the page says ${JSON.stringify(wanted)}, the program said:\n${rest.slice(0, 20).join("\n")}`;
}
