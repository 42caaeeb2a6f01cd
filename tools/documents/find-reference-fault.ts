import { readSymbols, type SymbolTable } from "./code-symbols.ts";
import type { DocumentTree } from "./rule.ts";

const tables = new WeakMap<DocumentTree, Map<string, SymbolTable | null>>();

/** What is wrong with `path` or `path#symbol`; null when the file exists and declares the symbol. */
export function findReferenceFault(tree: DocumentTree, reference: string): string | null {
  const [path = "", symbol] = reference.split("#");
  if (!tree.exists(path)) return `${path} does not exist`;
  if (symbol === undefined) return null;
  const table = symbolsOf(tree, path);
  if (table === null) return `${path} has no symbols that can be checked`;
  return table(symbol) ? null : `${path} declares no ${symbol}`;
}

function symbolsOf(tree: DocumentTree, path: string): SymbolTable | null {
  const known = tables.get(tree) ?? new Map<string, SymbolTable | null>();
  tables.set(tree, known);
  const found = known.get(path);
  if (found !== undefined) return found;
  const text = tree.readSource(path);
  const table = text === null ? null : readSymbols(path, text);
  known.set(path, table);
  return table;
}
