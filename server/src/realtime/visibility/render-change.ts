import { renderValue } from "../feed/render-value.ts";
import type { RowChange, Tuple } from "../feed/row-change.ts";
import type { TableMetadata } from "./table-metadata.ts";

export interface RenderView {
  /** Columns that the role may read. */
  readonly columns: ReadonlySet<string>;
  readonly select: readonly string[] | null;
  /** Whether the row as it was before may be shown; its key is shown in any case. */
  readonly showsOld: boolean;
}

export interface RenderChangeOptions {
  readonly change: RowChange;
  readonly facts: TableMetadata;
  readonly commitTimestamp: string;
  readonly maxBytes: number;
}

const LONG_VALUE_BYTES = 64;
const TOO_LARGE = "Error 413: Payload Too Large";
const INCOMPLETE = "Error 410: Gone, an unchanged value could not be read";

/** Writes a change once for everybody who sees the same part of it. */
export class ChangeRenderer {
  readonly #options: RenderChangeOptions;
  readonly #texts = new Map<string, string>();
  readonly #views = new Map<ReadonlySet<string>, number>();
  #last: { readonly view: RenderView; readonly text: string } | null = null;

  constructor(options: RenderChangeOptions) {
    this.#options = options;
  }

  render(view: RenderView): string {
    const last = this.#last;
    // Most of those who get a change get the same.
    if (last !== null && last.view.columns === view.columns && last.view.showsOld === view.showsOld)
      if (last.view.select === view.select) return last.text;
    const text = this.#find(view);
    this.#last = { view, text };
    return text;
  }

  #find(view: RenderView): string {
    const place = this.#views.get(view.columns) ?? this.#views.size;
    this.#views.set(view.columns, place);
    const key = `${place} ${view.showsOld} ${view.select === null ? "*" : JSON.stringify(view.select)}`;
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = this.#write(view);
      this.#texts.set(key, text);
    }
    return text;
  }

  #write(view: RenderView): string {
    const { maxBytes } = this.#options;
    const text = this.#compose(view, Number.POSITIVE_INFINITY, null);
    if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
    return this.#compose(view, LONG_VALUE_BYTES, TOO_LARGE);
  }

  #compose({ columns, select, showsOld }: RenderView, longestBytes: number, error: string | null): string {
    const { change, facts, commitTimestamp } = this.#options;
    const { relation, record, oldRecord } = change;
    const chosen = select === null ? null : new Set([...select, ...facts.primaryKey]);
    const places = relation.columns.flatMap(({ name }, at) =>
      columns.has(name) && (chosen === null || chosen.has(name)) ? [at] : [],
    );
    const parts = [
      `"schema":${JSON.stringify(relation.schema)}`,
      `"table":${JSON.stringify(relation.name)}`,
      `"type":"${change.type}"`,
      `"commit_timestamp":"${commitTimestamp}"`,
      `"columns":[${places.map((at) => this.#describeColumn(at)).join(",")}]`,
    ];
    if (record !== null) parts.push(`"record":${this.#writeRow(record, places, longestBytes)}`);
    if (change.type !== "INSERT") {
      const keyPlaces = places.filter((at) => facts.primaryKey.includes(relation.columns[at]?.name ?? ""));
      const shown = showsOld && oldRecord !== null ? places : keyPlaces;
      parts.push(`"old_record":${this.#writeRow(oldRecord ?? record ?? [], shown, longestBytes)}`);
    }
    const isIncomplete = record !== null && places.some((at) => record[at] === undefined);
    const errors = [...(error === null ? [] : [error]), ...(isIncomplete ? [INCOMPLETE] : [])];
    parts.push(`"errors":${errors.length === 0 ? "null" : JSON.stringify(errors)}`);
    return `{${parts.join(",")}}`;
  }

  #describeColumn(at: number): string {
    const { change, facts } = this.#options;
    const name = change.relation.columns[at]?.name ?? "";
    return JSON.stringify({ name, type: facts.types.get(name)?.name ?? "text" });
  }

  #writeRow(tuple: Tuple, places: readonly number[], longestBytes: number): string {
    const { change, facts } = this.#options;
    const members: string[] = [];
    for (const at of places) {
      const value = tuple[at];
      const name = change.relation.columns[at]?.name ?? "";
      if (value === undefined || (value !== null && value.length > longestBytes)) continue;
      members.push(`${JSON.stringify(name)}:${renderValue(value, facts.types.get(name)?.form ?? { kind: "other" })}`);
    }
    return `{${members.join(",")}}`;
  }
}

/** A row as the database takes it back in: every value in its own text, JSON as it is, what is not known left out. */
export function renderImage(change: RowChange, tuple: Tuple, facts: TableMetadata): string {
  const members: string[] = [];
  change.relation.columns.forEach(({ name }, at) => {
    const value = tuple[at];
    if (value === undefined) return;
    const isJson = facts.types.get(name)?.form.kind === "json";
    members.push(`${JSON.stringify(name)}:${value === null ? "null" : isJson ? value : JSON.stringify(value)}`);
  });
  return `{${members.join(",")}}`;
}
