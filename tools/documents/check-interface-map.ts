import { findReferenceFault } from "./find-reference-fault.ts";
import { INTERFACE_SECTIONS } from "./interface-rules.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";
import { findTestTitles } from "./test-titles.ts";

const MAP = "docs/interface-map.md";
const ROW = /^\| (\d[\d.]*-(?:open-)?\d+) \|(.*)\|\s*$/;
const CODE = /`([^`]+)`/g;
/** Titles of tests for features beyond the interface. */
const BEYOND = /^beyond\b/;

interface MapRow {
  readonly id: string;
  readonly cells: readonly string[];
}

/**
 * Every rule of the interface has a row with its code and its test, every open question one with its answer. Files,
 * symbols and test titles that a row names must exist, and acceptance tests and rows must cover the same sections.
 */
export const checkInterfaceMap: DocumentRule = (tree) => {
  const text = tree.pages.get(MAP);
  if (text === undefined) return [`${MAP}: is missing`];
  const rows = readRows(text);
  return [...checkNumbers(rows), ...rows.flatMap((row) => checkRow(row, tree)), ...checkTitles(tree)];
};

function readRows(text: string): MapRow[] {
  return text.split("\n").flatMap((line) => {
    const [, id, rest] = ROW.exec(line) ?? [];
    if (id === undefined || rest === undefined) return [];
    return [{ id, cells: rest.split("|").map((cell) => cell.trim()) }];
  });
}

function checkNumbers(rows: readonly MapRow[]): string[] {
  const expected = Object.entries(INTERFACE_SECTIONS).flatMap(([section, { rules, open }]) => [
    ...numbers(rules).map((number) => `${section}-${number}`),
    ...numbers(open).map((number) => `${section}-open-${number}`),
  ]);
  const counts = new Map<string, number>();
  for (const { id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [
    ...expected.filter((id) => !counts.has(id)).map((id) => `${MAP}: ${id} has no row`),
    ...[...counts.keys()].filter((id) => !expected.includes(id)).map((id) => `${MAP}: ${id} is not a known rule`),
    ...[...counts].filter(([, count]) => count > 1).map(([id]) => `${MAP}: ${id} has more than one row`),
  ];
}

/** Columns of rules: rule, code, test. Columns of open questions: question, answer, test. */
function checkRow({ id, cells }: MapRow, tree: DocumentTree): string[] {
  const faults: string[] = [];
  const fault = (message: string) => faults.push(`${MAP}: ${id}: ${message}`);
  if (cells.length !== 3) return [`${MAP}: ${id}: a row has four cells, this one ${cells.length + 1}`];
  const [, code = "", test = ""] = cells;
  if (!id.includes("-open-")) {
    const references = namesIn(code);
    if (references.length === 0) fault("names no code");
    for (const reference of references) {
      const wrong = reference.includes("#") ? findReferenceFault(tree, reference) : `${reference} names no symbol`;
      if (wrong !== null) fault(wrong);
    }
  }
  const tests = namesIn(test);
  if (!tests.some((name) => name.includes("::"))) fault("names no test by its title");
  for (const name of tests) {
    const [path = "", title] = name.split("::");
    const source = path.endsWith(".test.ts") ? tree.readSource(path) : null;
    if (source === null) fault(`${path} is not a test`);
    else if (title !== undefined && !findTestTitles(source).includes(title)) fault(`${path} has no test "${title}"`);
  }
  return faults;
}

function checkTitles({ acceptance }: DocumentTree): string[] {
  const faults: string[] = [];
  const tested = new Set<string>();
  for (const [path, source] of acceptance) {
    for (const title of findTestTitles(source)) {
      const section = /^\d+(?:\.\d+)?(?= )/.exec(title)?.[0];
      if (section !== undefined) tested.add(section);
      if (section === undefined ? !BEYOND.test(title) : !isKnown(section)) {
        faults.push(`${path}: "${title}" begins neither with a section of the interface nor with "beyond"`);
      }
    }
  }
  const untested = Object.keys(INTERFACE_SECTIONS).filter((section) => !tested.has(section));
  return [...faults, ...untested.map((section) => `${MAP}: no acceptance test begins with ${section}`)];
}

/** A title can also name a whole chapter. */
function isKnown(section: string): boolean {
  return Object.keys(INTERFACE_SECTIONS).some((known) => known === section || known.startsWith(`${section}.`));
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(CODE)].map(([, name]) => name ?? "");
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
