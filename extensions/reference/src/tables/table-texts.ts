import { isEventType } from "@swarmbase/sdk";
import { AGENT_TEXTS } from "./agent-texts.ts";
import { EVAL_TEXTS } from "./eval-texts.ts";
import { SCHEDULE_TEXTS } from "./schedule-texts.ts";
import { GRANT_TEXTS } from "./grant-texts.ts";
import { PEOPLE_TEXTS } from "./people-texts.ts";
import { RUN_TEXTS } from "./run-texts.ts";
import { SWARM_TEXTS } from "./swarm-texts.ts";
import type { TableDescription } from "./table-description.ts";
import type { TableText } from "./table-text.ts";
import { TRIGGER_TEXTS } from "./trigger-texts.ts";
import { WEBHOOK_TEXTS } from "./webhook-texts.ts";

/** In the order in which a reader meets them. */
export const TABLE_TEXTS: Readonly<Record<string, TableText>> = {
  ...AGENT_TEXTS,
  ...GRANT_TEXTS,
  ...SWARM_TEXTS,
  ...RUN_TEXTS,
  ...EVAL_TEXTS,
  ...SCHEDULE_TEXTS,
  ...TRIGGER_TEXTS,
  ...WEBHOOK_TEXTS,
  ...PEOPLE_TEXTS,
};

/** Columns that mean the same in every table. A table can have its own text. */
const SHARED_COLUMNS: Readonly<Record<string, string>> = {
  id: "The id, a UUID that sorts by time.",
  swarm_id: "The swarm.",
  created_at: "When the row was created. A sent value is ignored.",
  updated_at: "When the row changed last. A sent value is ignored.",
};

/** A table with its texts. */
export interface DescribedTable {
  readonly table: TableDescription;
  readonly text: TableText;
}

/** Throws when a table, a column, an other name or an event has no text, and when a text has none of these. */
export function joinTexts(
  tables: readonly TableDescription[],
  texts: Readonly<Record<string, TableText>> = TABLE_TEXTS,
): readonly DescribedTable[] {
  const undescribed = tables.find(({ name }) => !Object.hasOwn(texts, name));
  if (undescribed !== undefined) throw new Error(`the table ${undescribed.name} has no text`);
  return Object.entries(texts).map(([name, text]) => {
    const table = tables.find((one) => one.name === name);
    if (table === undefined) throw new Error(`the table ${name} has a text and does not exist`);
    const columns = table.columns.map((column) => column.name);
    compare(name, [...Object.keys(SHARED_COLUMNS), ...Object.keys(text.columns)], columns, Object.keys(text.columns));
    compare(
      name,
      Object.keys(text.aliases ?? {}),
      table.aliases.map((alias) => alias.name),
    );
    const silent = table.events.find((type) => text.events?.[type] === undefined);
    if (silent !== undefined) throw new Error(`the table ${name} raises ${silent}, which has no text`);
    const unknown = Object.keys(text.events ?? {}).find((type) => !isEventType(type));
    if (unknown !== undefined)
      throw new Error(`the table ${name} has a text for the event ${unknown}, which does not exist`);
    return { table, text };
  });
}

export function textOfColumn({ columns }: TableText, name: string): string {
  return columns[name] ?? SHARED_COLUMNS[name] ?? "";
}

function compare(
  table: string,
  described: readonly string[],
  existing: readonly string[],
  own: readonly string[] = described,
): void {
  const missing = existing.find((name) => !described.includes(name));
  if (missing !== undefined) throw new Error(`${table}.${missing} has no text`);
  const extra = own.find((name) => !existing.includes(name));
  if (extra !== undefined) throw new Error(`${table}.${extra} has a text and does not exist`);
}
