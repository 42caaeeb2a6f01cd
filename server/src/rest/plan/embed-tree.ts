import type { AppError } from "../../errors/index.ts";
import { type Catalogue, findRelation, type QualifiedName } from "../catalogue/catalogue.ts";
import type { Relationship } from "../catalogue/relationships.ts";
import type { EmbedItem, EmbedModifiers, NodeModifiers, ParsedQuery, SelectItem } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import { getEmbedding, missingError } from "./find-embedding.ts";
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

export interface TreeRoot {
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

function growNode(select: readonly SelectItem[], rows: Rows, name: QualifiedName, catalogue: Catalogue): TreeNode {
  const branches: Branch[] = [];
  for (const item of select) {
    if (item.kind !== "embed") continue;
    if (rows.relation === null) throw missingError(name, item, null);
    const relationship = getEmbedding(catalogue, rows.relation, item);
    const target = findRelation(catalogue, relationship.target);
    const targetRows = { relation: target, columns: target?.columns ?? null };
    branches.push({ item, relationship, node: growNode(item.select, targetRows, relationship.target, catalogue) });
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
  const keyed = branches.find(({ item }) => (item.alias ?? item.relation) === name);
  return keyed ?? branches.find(({ item }) => item.relation === name) ?? null;
}

export function notEmbeddedError(name: string): AppError {
  return restError("PGRST108", `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}
