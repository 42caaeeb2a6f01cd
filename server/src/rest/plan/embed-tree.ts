import type { AppError } from "../../errors/index.ts";
import { type Catalogue, findRelation, type QualifiedName } from "../catalogue/catalogue.ts";
import { describeCandidate, suggestEmbedding } from "../catalogue/describe-candidate.ts";
import { findRelationships } from "../catalogue/find-relationships.ts";
import { nearestNames } from "../catalogue/nearest-names.ts";
import { type Relationship, relationshipsOf } from "../catalogue/relationships.ts";
import type { EmbedItem, EmbedModifiers, NodeModifiers, ParsedQuery, SelectItem } from "../parse/parsed-request.ts";
import { foreignError, restError } from "../rest-error.ts";
import type { Rows } from "./plan-expression.ts";

/** A node of `select` with the rows that it reads and the other parameters that apply to it. */
export interface TreeNode {
  readonly rows: Rows;
  readonly select: readonly SelectItem[];
  /** Several when parameters use both the alias and the relation of a node. */
  readonly modifiers: NodeModifiers[];
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly item: EmbedItem;
  readonly relationship: Relationship;
  readonly node: TreeNode;
}

interface TreeRoot {
  readonly rows: Rows;
  /** The name of the rows in messages, and the start of their relationships. */
  readonly name: QualifiedName;
}

export function buildEmbedTree(query: ParsedQuery, { rows, name }: TreeRoot, catalogue: Catalogue): TreeNode {
  const root = growNode(query.select, rows, name, catalogue);
  root.modifiers.push(query.root);
  for (const placed of query.embeds) placeModifiers(root, placed);
  return root;
}

function growNode(
  select: readonly SelectItem[],
  rows: Rows,
  name: QualifiedName,
  catalogue: Catalogue,
  depth = 1,
): TreeNode {
  const branches: Branch[] = [];
  const keys = new Set<string>();
  for (const item of select) {
    if (item.kind !== "embed") continue;
    if (rows.relation === null) throw missingError(name, item, null);
    const relationship = getEmbedding(catalogue, rows.relation, item);
    const target = findRelation(catalogue, relationship.target);
    const targetRows = { relation: target, columns: target?.columns ?? null };
    const node = growNode(item.select, targetRows, relationship.target, catalogue, depth + 1);
    branches.push({ item, relationship, node });
    // A spread has no key of its own.
    if (item.isSpread) continue;
    if (keys.has(keyOf(item))) throw embeddedTwiceError(name, keyOf(item), depth);
    keys.add(keyOf(item));
  }
  return { rows, select, modifiers: [], branches };
}

function placeModifiers(root: TreeNode, { path, modifiers }: EmbedModifiers): void {
  let node = root;
  for (const name of path) {
    const branch = findBranch(node.branches, name);
    if (branch === null) throw notEmbeddedError(name);
    node = branch.node;
  }
  node.modifiers.push(modifiers);
}

/** Finds an embed by its key in the response, or else by the name of its relation. */
export function findBranch<Found extends { readonly item: EmbedItem }>(
  branches: readonly Found[],
  name: string,
): Found | null {
  const keyed = branches.find(({ item }) => keyOf(item) === name);
  return keyed ?? branches.find(({ item }) => item.relation === name) ?? null;
}

function keyOf({ alias, relation }: EmbedItem): string {
  return alias ?? relation;
}

/** The text of PostgreSQL for the statement of PostgREST. */
function embeddedTwiceError({ name }: QualifiedName, key: string, depth: number): AppError {
  const table = `${name}_${key}_${depth}`;
  return foreignError({ code: "42712", status: 400 }, `table name "${table}" specified more than once`, {});
}

export function notEmbeddedError(name: string): AppError {
  return restError("PGRST108", `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}

type Wanted = Pick<EmbedItem, "relation" | "hint">;

/** Finds the relationship that an embed refers to. */
function getEmbedding(catalogue: Catalogue, from: QualifiedName, wanted: Wanted): Relationship {
  const found = findRelationships(catalogue, { from, target: wanted.relation, hint: wanted.hint });
  const [first, ...more] = found;
  if (first === undefined) throw missingError(from, wanted, suggest(catalogue, from, wanted));
  if (more.length > 0) throw ambiguousError(from, wanted, found);
  return first;
}

function missingError(from: QualifiedName, { relation, hint }: Wanted, suggestion: string | null): AppError {
  const between = `between '${from.name}' and '${relation}'`;
  const using = hint === null ? "" : ` using the hint '${hint}'`;
  return restError("PGRST200", `Could not find a relationship ${between} in the schema cache`, {
    details: `Searched for a foreign key relationship ${between}${using} in the schema '${from.schema}', but no matches were found.`,
    hint: suggestion,
  });
}

function ambiguousError(from: QualifiedName, { relation }: Wanted, found: readonly Relationship[]): AppError {
  const choices = found.map((candidate) => `'${suggestEmbedding(candidate)}'`).join(", ");
  const message = `Could not embed because more than one relationship was found for '${from.name}' and '${relation}'`;
  return restError("PGRST201", message, {
    details: found.map(describeCandidate),
    hint: `Try changing '${relation}' to one of the following: ${choices}. Find the desired relationship in the 'details' key.`,
  });
}

function suggest(catalogue: Catalogue, from: QualifiedName, { relation, hint }: Wanted): string | null {
  if (hint !== null) {
    const written = `${relation}!${hint}`;
    const candidates = findRelationships(catalogue, { from, target: relation, hint: null });
    const meant = candidates.find((candidate) => "constraint" in candidate && candidate.constraint === hint);
    const choices = (meant === undefined ? candidates : [meant]).map(suggestEmbedding);
    const choice = nearestNames(written, choices)[0] ?? choices[0];
    if (choice !== undefined) return phrase(choice, written);
  }
  const reachable = relationshipsOf(catalogue, from).filter(({ target }) => target.schema === from.schema);
  const names = reachable.map((candidate) =>
    candidate.kind === "computed" ? candidate.function.name : candidate.target.name,
  );
  const [nearest] = nearestNames(relation, new Set(names));
  return nearest === undefined ? null : phrase(nearest, relation);
}

function phrase(choice: string, written: string): string {
  return `Perhaps you meant '${choice}' instead of '${written}'.`;
}
