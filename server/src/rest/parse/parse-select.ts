import { BOUNDS } from "./bounds.ts";
import { parseJsonPath } from "./field.ts";
import { isQuotedNext, parseIdentifier, parseName } from "./names.ts";
import { AGGREGATES, type Aggregate, type ColumnItem, type EmbedItem, type SelectItem } from "./parsed-request.ts";
import {
  createParameterScanner,
  expect,
  expectEnd,
  fail,
  isAtEnd,
  peek,
  reject,
  type Scanner,
  skipBlanks,
  startsWith,
  take,
  takePattern,
} from "./scanner.ts";

interface SelectScanner extends Scanner {
  itemCount: number;
  depth: number;
}

const WORD = /[a-z]+/y;
const AFTER_ITEM = '")", "," or end of input';
const AFTER_FIELD = `letter, digit, "-", "->>", "->", "::", ".", ${AFTER_ITEM}`;

export function parseSelect(text: string): SelectItem[] {
  const scanner = { ...createParameterScanner("select", text), itemCount: 0, depth: 0 };
  const items = parseItems(scanner);
  expectEnd(scanner, '"," or end of input');
  return items;
}

function parseItems(scanner: SelectScanner): SelectItem[] {
  skipBlanks(scanner);
  if (isAtEnd(scanner) || (scanner.depth > 0 && peek(scanner) === ")")) return [];
  const items = [parseItem(scanner)];
  while (take(scanner, ",")) items.push(parseItem(scanner));
  return items;
}

function parseItem(scanner: SelectScanner): SelectItem {
  scanner.itemCount += 1;
  if (scanner.itemCount > BOUNDS.selectItems) reject(scanner, `at most ${BOUNDS.selectItems} items can be selected`);
  skipBlanks(scanner);
  if (take(scanner, "...")) return parseEmbed(scanner, { relation: parseName(scanner), alias: null, isSpread: true });
  if (take(scanner, "*")) return endItem(scanner, { kind: "star" });
  return parseNamedItem(scanner);
}

function parseNamedItem(scanner: SelectScanner): SelectItem {
  let isWord = !isQuotedNext(scanner);
  let name = parseName(scanner);
  let alias: string | null = null;
  if (!startsWith(scanner, "::") && take(scanner, ":")) {
    alias = name;
    skipBlanks(scanner);
    isWord = !isQuotedNext(scanner);
    name = parseName(scanner);
  }
  if (isWord && name === "count" && peek(scanner) === "(") {
    expect(scanner, "()");
    return endItem(scanner, { kind: "count", alias, cast: parseCast(scanner) });
  }
  const next = peek(scanner);
  if (next === "(" || next === "!") return parseEmbed(scanner, { relation: name, alias, isSpread: false });
  return endItem(scanner, parseColumn(scanner, name, alias));
}

function parseColumn(scanner: SelectScanner, name: string, alias: string | null): ColumnItem {
  const field = { name, path: parseJsonPath(scanner) };
  const cast = parseCast(scanner);
  const aggregate = parseAggregate(scanner);
  const aggregateCast = aggregate === null ? null : parseCast(scanner);
  return { kind: "column", field, alias, cast, aggregate, aggregateCast };
}

function parseCast(scanner: SelectScanner): string | null {
  return take(scanner, "::") ? parseIdentifier(scanner) : null;
}

function parseAggregate(scanner: SelectScanner): Aggregate | null {
  if (!take(scanner, ".")) return null;
  const start = scanner.position;
  const word = takePattern(scanner, WORD);
  const aggregate = AGGREGATES.find((known) => known === word);
  if (aggregate === undefined) {
    scanner.position = start;
    return fail(scanner, AGGREGATES.map((known) => JSON.stringify(known)).join(" or "));
  }
  expect(scanner, "()");
  return aggregate;
}

function parseEmbed(scanner: SelectScanner, named: Pick<EmbedItem, "relation" | "alias" | "isSpread">): EmbedItem {
  const { hint, join } = parseEmbedParameters(scanner);
  expect(scanner, "(", hint === null && join === null ? '"!" or "("' : '"("');
  scanner.depth += 1;
  if (scanner.depth > BOUNDS.nesting) reject(scanner, `embeds are at most ${BOUNDS.nesting} deep`);
  const select = parseItems(scanner);
  scanner.depth -= 1;
  expect(scanner, ")", '"," or ")"');
  return endItem(scanner, { kind: "embed", ...named, hint, join: join ?? "left", select });
}

function parseEmbedParameters(scanner: SelectScanner): { hint: string | null; join: EmbedItem["join"] | null } {
  let hint: string | null = null;
  let join: EmbedItem["join"] | null = null;
  while (peek(scanner) === "!") {
    const start = scanner.position;
    scanner.position += 1;
    const isWord = !isQuotedNext(scanner);
    const name = parseName(scanner);
    if (isWord && (name === "left" || name === "inner") && join === null) join = name;
    else if (hint === null) hint = name;
    else {
      scanner.position = start;
      fail(scanner, '"("');
    }
  }
  return { hint, join };
}

function endItem<Item extends SelectItem>(scanner: SelectScanner, item: Item): Item {
  skipBlanks(scanner);
  const next = peek(scanner);
  const isEnd = next === "," || (next === ")" && scanner.depth > 0) || isAtEnd(scanner);
  if (!isEnd) fail(scanner, item.kind === "column" ? AFTER_FIELD : AFTER_ITEM);
  return item;
}
