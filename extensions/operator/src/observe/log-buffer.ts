import type { LogLine } from "swarmbase/extension";

/** A line as it is stored. */
export interface StoredLine {
  readonly created_at: string;
  readonly level: string;
  readonly event: string;
  readonly message: string;
  readonly request_id: string | null;
  readonly user_id: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_LINES = 2000;
const MAX_FIELDS_LENGTH = 8000;
const MAX_TEXT_LENGTH = 500;

/** Log lines that are not stored yet, of one process. It has a bound: a burst of lines must not need memory without end. */
export class LogBuffer {
  #lines: StoredLine[] = [];
  #dropped = 0;

  add(line: LogLine, now: Date): void {
    if (this.#lines.length >= MAX_LINES) {
      this.#dropped += 1;
      return;
    }
    const { requestId, userId, ...fields } = line.fields;
    this.#lines.push({
      created_at: now.toISOString(),
      level: line.level,
      event: line.event,
      message: line.message.slice(0, MAX_TEXT_LENGTH),
      request_id: toText(requestId),
      user_id: toText(userId),
      fields: boundFields(fields),
    });
  }

  /** The oldest lines, and how many were dropped since the last call. */
  take(limit: number): { readonly lines: readonly StoredLine[]; readonly dropped: number } {
    const lines = this.#lines.slice(0, limit);
    this.#lines = this.#lines.slice(limit);
    const dropped = this.#dropped;
    this.#dropped = 0;
    return { lines, dropped };
  }
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : null;
}

/** PostgreSQL stores no U+0000 and no half of a surrogate pair in JSON. */
function boundFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(fields).replaceAll(/\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, "\ufffd");
  if (text.length > MAX_FIELDS_LENGTH) return { truncated: text.slice(0, MAX_FIELDS_LENGTH).toWellFormed() };
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
