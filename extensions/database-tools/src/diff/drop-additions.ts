import type { Client } from "pg";
import { ITEM_KINDS, type Item } from "./item.ts";
import { selectItems } from "./sql/select-items.ts";

/** Objects whose dependents go with them; of other kinds only the item itself is removed. */
const CASCADING: ReadonlySet<string> = new Set([
  "schema",
  "enum",
  "type",
  "sequence",
  "table",
  "view",
  "function",
  "column",
  "constraint",
]);

/**
 * Drops what the database has beyond the baseline, in the transaction that the caller has begun. Throws when something of the
 * baseline went with it.
 */
export async function dropAdditions(client: Client, baseline: readonly Item[]): Promise<readonly string[]> {
  const kept = new Set(baseline.map(({ key }) => key));
  const additions = (await selectItems(client)).items.filter(
    ({ key, extra }) => !kept.has(key) && extra?.isForeign !== true,
  );
  const names = new Set(additions.map(({ key }) => key));
  // The parts of an object go with it.
  const whole = additions
    .filter(({ parent }) => parent === null || !names.has(parent))
    .toSorted((one, other) => ITEM_KINDS.indexOf(other.kind) - ITEM_KINDS.indexOf(one.kind));
  for (const { kind, undo } of whole) await client.query(buildDrop(kind, undo));
  const left = new Set((await selectItems(client)).items.map(({ key }) => key));
  const lost = baseline.filter(({ key }) => !left.has(key));
  if (lost.length > 0)
    throw new Error(
      `Objects of Swarmbase depend on objects of the app, and would be dropped with them: ${lost.map(({ key }) => key).join(", ")}. Nothing was changed.`,
    );
  return whole.map(({ key }) => key);
}

/** An earlier statement may have dropped it by cascading. */
function buildDrop(kind: Item["kind"], undo: string): string {
  if (
    kind === "grant" ||
    kind === "row security" ||
    kind === "comment" ||
    kind === "publication" ||
    kind === "replica identity" ||
    kind === "sequence owner"
  )
    return undo;
  const tolerant =
    kind === "column" || kind === "constraint" || kind === "foreign key"
      ? undo.replace(/ drop (column|constraint) /, " drop $1 if exists ")
      : undo.replace(/^drop (materialized view|\w+) /, "drop $1 if exists ");
  return CASCADING.has(kind) ? `${tolerant} cascade` : tolerant;
}
