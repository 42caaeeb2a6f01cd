import { matchesGlob } from "node:path";
import { findReferenceFault } from "./find-reference-fault.ts";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const PAGE = "CONTRIBUTING.md";

/** The recipes, with the types that list what each of them adds to: a table over such a type must get a row. */
export const RECIPES: Readonly<Record<string, readonly string[]>> = {
  "Adding a setting": [],
  "Adding an operator": ["Operator"],
  "Adding an event type": ["EventType", "EVENT_TYPES"],
  "Adding a provider kind": ["ProviderKind", "VendorKind", "PROVIDER_KINDS"],
  "Adding a strategy": ["SwarmStrategy", "SWARM_STRATEGIES"],
  "Adding a console page": [],
  "Adding an error code": [],
};

const ROW = /^\| `([^`]+)`(?: \((new|generated)\))? \| (.*) \|$/;
const NAMED = /`([^`]+)`/g;
/** The part of a path that depends on what is added. */
const PLACEHOLDER = /<[\w-]+>/g;

/**
 * Each recipe is a table of the files to touch. Every file must exist, or match existing files where it has a
 * placeholder; declare the symbol that is named; and be marked as generated exactly when a program writes it. A recipe
 * names every file with a table over its type.
 */
export const checkRecipes: DocumentRule = (tree) => {
  const text = tree.pages.get(PAGE) ?? "";
  const sections = new Map(
    text.split(/^## /m).map((section) => [section.slice(0, section.indexOf("\n")).trim(), section] as const),
  );
  return Object.entries(RECIPES).flatMap(([title, types]) => {
    const section = sections.get(title);
    const faults = section === undefined ? ["is missing"] : checkRecipe(tree, section, types);
    return faults.map((fault) => `${PAGE}: "${title}": ${fault}`);
  });
};

function checkRecipe(tree: DocumentTree, section: string, types: readonly string[]): string[] {
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  const faults = lines.flatMap((line) => {
    const [, reference, mark, what = ""] = ROW.exec(line) ?? [];
    if (reference === undefined) return [`a row is not "| \`file\` | what to add |": ${line}`];
    return [
      ...checkReference(tree, reference, mark),
      ...(mark === "generated" && !what.includes("`npm ") ? [`${reference} does not name its command`] : []),
    ];
  });
  const named = [...section.matchAll(NAMED)].flatMap(([, name = ""]) => expand(tree, pathOf(name)));
  const unnamed = findTables(tree, types).filter((path) => !named.includes(path));
  return [
    ...(lines.length === 0 ? ["has no table of files"] : []),
    ...faults,
    ...unnamed.map((path) => `does not name ${path}, which has a table over ${types.join(" or ")}`),
  ];
}

function checkReference(tree: DocumentTree, reference: string, mark: string | undefined): string[] {
  const path = pathOf(reference);
  const paths = expand(tree, path);
  if (paths.length === 0) return [`${path} ${path.includes("<") ? "matches no file" : "does not exist"}`];
  const symbol = reference.split("#")[1];
  const faults = paths.flatMap((each) => {
    const isGenerated = tree.isGenerated(each);
    if (isGenerated !== (mark === "generated"))
      return [`${each} is ${isGenerated ? "generated" : "not generated"}, unlike the recipe says`];
    return symbol === undefined ? [] : [findReferenceFault(tree, `${each}#${symbol}`)];
  });
  return faults.filter((fault) => fault !== null);
}

function pathOf(reference: string): string {
  return reference.split("#")[0] ?? "";
}

function expand(tree: DocumentTree, path: string): readonly string[] {
  if (!path.includes("<")) return tree.exists(path) ? [path] : [];
  const glob = path.replace(PLACEHOLDER, "*");
  return tree.paths.filter((each) => matchesGlob(each, glob));
}

function findTables({ sources }: DocumentTree, types: readonly string[]): string[] {
  if (types.length === 0) return [];
  const names = types.join("|");
  const table = new RegExp(`\\bRecord<\\s*(?:\\(typeof )?(?:${names})\\b|\\[\\w+ in (?:${names})\\]`);
  return [...sources].filter(([, text]) => table.test(text)).map(([path]) => path);
}
