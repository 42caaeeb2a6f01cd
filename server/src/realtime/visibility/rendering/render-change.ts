import { renderValue } from "../../feed/render-value.ts";
import type { RowChange, Tuple } from "../../feed/row-change.ts";
import type { TableMetadata } from "../tables/table-metadata.ts";

interface RenderView {
  /** Columns that the role may read. */
  readonly columns: ReadonlySet<string>;
  readonly select: readonly string[] | null;
  /** Whether the old row is shown completely; its primary key always is. */
  readonly showsOld: boolean;
}

interface RenderChangeOptions {
  readonly change: RowChange;
  readonly metadata: TableMetadata;
  readonly commitTimestamp: string;
  readonly maxBytes: number;
}

const LONG_VALUE_BYTES = 64;
const TOO_LARGE = "Error 413: Payload Too Large";
const INCOMPLETE = "Error 410: Gone, an unchanged value could not be read";

/** Renders a change once for all recipients that see the same columns. */
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
    // Most recipients share the same view.
    if (last !== null && last.view.columns === view.columns && last.view.showsOld === view.showsOld)
      if (last.view.select === view.select) return last.text;
    const text = this.#find(view);
    this.#last = { view, text };
    return text;
  }

  #find(view: RenderView): string {
    const number = this.#views.get(view.columns) ?? this.#views.size;
    this.#views.set(view.columns, number);
    const key = `${number} ${view.showsOld} ${view.select === null ? "*" : JSON.stringify(view.select)}`;
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = this.#renderWithinLimit(view);
      this.#texts.set(key, text);
    }
    return text;
  }

  #renderWithinLimit(view: RenderView): string {
    const { maxBytes } = this.#options;
    const text = this.#renderView(view, Number.POSITIVE_INFINITY, null);
    if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
    return this.#renderView(view, LONG_VALUE_BYTES, TOO_LARGE);
  }

  #renderView({ columns, select, showsOld }: RenderView, maxValueBytes: number, error: string | null): string {
    const { change, metadata, commitTimestamp } = this.#options;
    const { relation, record, oldRecord } = change;
    const chosen = select === null ? null : new Set([...select, ...metadata.primaryKey]);
    const indexes = relation.columns.flatMap(({ name }, index) =>
      columns.has(name) && (chosen === null || chosen.has(name)) ? [index] : [],
    );
    const parts = [
      `"schema":${JSON.stringify(relation.schema)}`,
      `"table":${JSON.stringify(relation.name)}`,
      `"type":"${change.type}"`,
      `"commit_timestamp":"${commitTimestamp}"`,
      `"columns":[${indexes.map((index) => this.#describeColumn(index)).join(",")}]`,
    ];
    if (record !== null) parts.push(`"record":${this.#renderRow(record, indexes, maxValueBytes)}`);
    if (change.type !== "INSERT") {
      const keyIndexes = indexes.filter((index) => metadata.primaryKey.includes(relation.columns[index]?.name ?? ""));
      const shown = showsOld && oldRecord !== null ? indexes : keyIndexes;
      parts.push(`"old_record":${this.#renderRow(oldRecord ?? record ?? [], shown, maxValueBytes)}`);
    }
    const isIncomplete = record !== null && indexes.some((index) => record[index] === undefined);
    const errors = [...(error === null ? [] : [error]), ...(isIncomplete ? [INCOMPLETE] : [])];
    parts.push(`"errors":${errors.length === 0 ? "null" : JSON.stringify(errors)}`);
    return `{${parts.join(",")}}`;
  }

  #describeColumn(index: number): string {
    const { change, metadata } = this.#options;
    const name = change.relation.columns[index]?.name ?? "";
    return JSON.stringify({ name, type: metadata.types.get(name)?.name ?? "text" });
  }

  #renderRow(tuple: Tuple, indexes: readonly number[], maxValueBytes: number): string {
    const { change, metadata } = this.#options;
    const members: string[] = [];
    for (const index of indexes) {
      const value = tuple[index];
      const name = change.relation.columns[index]?.name ?? "";
      if (value === undefined || (value !== null && value.length > maxValueBytes)) continue;
      members.push(
        `${JSON.stringify(name)}:${renderValue(value, metadata.types.get(name)?.form ?? { kind: "other" })}`,
      );
    }
    return `{${members.join(",")}}`;
  }
}

/** Renders a row for json_populate_record: values as their text, JSON unchanged, unknown values omitted. */
export function renderImage(change: RowChange, tuple: Tuple, metadata: TableMetadata): string {
  const members: string[] = [];
  change.relation.columns.forEach(({ name }, index) => {
    const value = tuple[index];
    if (value === undefined) return;
    const isJson = metadata.types.get(name)?.form.kind === "json";
    members.push(`${JSON.stringify(name)}:${value === null ? "null" : isJson ? value : JSON.stringify(value)}`);
  });
  return `{${members.join(",")}}`;
}
