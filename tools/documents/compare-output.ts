const ANYTHING = "…";

/** Values that differ in every run. All other output must match exactly. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/(?<![0-9a-f-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-f-])/g, "<id>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}(?=…)/g, "<short id>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\b\d+(?:\.\d+)? s\b/g, "<seconds> s"],
  [/(?<=https:\/\/localhost:)\d+/g, "<port>"],
  // A simulated reply ends with a hash of its input.
  [/; [0-9a-f]{8}\)$/gm, "; <hash>)"],
];

/**
 * Returns null when the output matches the page, otherwise the difference. A line "…" in the page matches any number of
 * lines, "…" within a line matches any text. Ids, times, durations, ports and hashes may differ.
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

/** Empty lines at both ends are ignored. */
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
