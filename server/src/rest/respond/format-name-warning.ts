import type { EmbedItem, OrderTerm, ParsedQuery, SelectItem } from "../parse/parsed-request.ts";

/**
 * Warns when parameters refer to an aliased embed by its relation, which becomes ambiguous as soon as
 * the relation is embedded twice. Null when every parameter uses the key.
 */
export function formatNameWarning({ select, root, embeds }: ParsedQuery): string | null {
  if (embeds.length === 0 && !root.order.some(isRelated)) return null;
  const found = new Map<string, string>();
  noteOrder(root.order, select, found);
  for (const { path, modifiers } of embeds) {
    let items = select;
    for (const name of path) items = enter(name, items, found)?.select ?? [];
    noteOrder(modifiers.order, items, found);
  }
  if (found.size === 0) return null;
  const changes = [...found].map(([name, alias]) => `'${name}' to '${alias}'`).join(", ");
  return `299 swarmbase "An embed with an alias was called by its relation. Change ${encodeText(changes)} in filters, orders and limits."`;
}

function noteOrder(order: readonly OrderTerm[], items: readonly SelectItem[], found: Map<string, string>): void {
  for (const { relation } of order) if (relation !== null) enter(relation, items, found);
}

function isRelated({ relation }: OrderTerm): boolean {
  return relation !== null;
}

function enter(name: string, items: readonly SelectItem[], found: Map<string, string>): EmbedItem | null {
  const embeds = items.filter((item) => item.kind === "embed");
  const keyed = embeds.find(({ alias, relation }) => (alias ?? relation) === name);
  if (keyed !== undefined) return keyed;
  const named = embeds.find(({ relation }) => relation === name);
  if (typeof named?.alias === "string") found.set(name, named.alias);
  return named ?? null;
}

/** Encodes characters that a quoted text in a header cannot contain. */
function encodeText(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]+/gu, encodeURIComponent);
}
