import type { DocumentRule } from "./rule.ts";

const MAP = "docs/interface-map.md";
const SECTIONS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
const PLANNED = "planned";

/**
 * Each section of the interface has a table of rules: | rule | code | test |. A rule names files that exist, in
 * backticks, or says "planned" in both cells; a rule with code and no test is not done.
 */
export const checkInterfaceMap: DocumentRule = ({ pages, exists }) => {
  const text = pages.get(MAP);
  if (text === undefined) return [`${MAP}: is missing`];
  const faults: string[] = [];
  const rowCounts = new Map<string, number>();
  let section = "";
  for (const line of text.split("\n")) {
    section = /^## (\d+)\b/.exec(line)?.[1] ?? section;
    const cells = line.startsWith("|")
      ? line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim())
      : [];
    const [rule = "", code = "", test = ""] = cells;
    if (cells.length === 0 || rule === "rule" || /^-+$/.test(rule)) continue;
    rowCounts.set(section, (rowCounts.get(section) ?? 0) + 1);
    const fault = (message: string) => faults.push(`${MAP}: "${rule}": ${message}`);
    if (cells.length !== 3) fault(`a row has three cells, this one ${cells.length}`);
    if (code === PLANNED && test === PLANNED) continue;
    const codePaths = findPaths(code);
    const testPaths = findPaths(test);
    if (codePaths.length === 0 || testPaths.length === 0) fault("names no code or no test, and is not planned");
    for (const path of [...codePaths, ...testPaths]) if (!exists(path)) fault(`${path} does not exist`);
    for (const path of testPaths) if (!path.endsWith(".test.ts")) fault(`${path} is not a test`);
  }
  for (const name of SECTIONS) if (!rowCounts.has(name)) faults.push(`${MAP}: section ${name} has no rows`);
  return faults;
};

function findPaths(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? "");
}
