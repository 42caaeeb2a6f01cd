import { ALWAYS_FOLLOWED } from "../followed-tables.ts";

/** A message of the stream, as far as its receivers have to know it. */
export type FilteredMessage =
  | { readonly kind: "begin"; readonly message: Buffer; readonly xid: number }
  | { readonly kind: "change"; readonly message: Buffer; readonly tableKeys: readonly string[] }
  /** `description`: of a table or a type, which belongs to no transaction. */
  | { readonly kind: "commit" | "description" | "other"; readonly message: Buffer };

/** As many as a process remembers of those that arrive. */
const MAX_MISSED = 32;

/** Leaves out the changes of tables that a process does not follow, and transactions without anything else. */
export class FeedFilter {
  readonly #push: (message: Buffer) => void;
  #tables: ReadonlySet<string> = new Set();
  /** The beginning of the current transaction, until a part of it is passed on. */
  #begin: Buffer | null = null;
  #hasBegun = false;
  #xid = 0;
  #missed: number[] = [];

  constructor(push: (message: Buffer) => void) {
    this.#push = push;
  }

  /** Passes on the changes of these tables from now on. Returns the last transactions that had others. */
  follow(tables: Iterable<string>): readonly number[] {
    this.#tables = new Set(tables);
    return [...this.#missed];
  }

  take(filtered: FilteredMessage): void {
    switch (filtered.kind) {
      case "begin":
        [this.#begin, this.#xid] = [filtered.message, filtered.xid];
        return;
      case "commit":
        if (this.#hasBegun) this.#push(filtered.message);
        [this.#begin, this.#hasBegun] = [null, false];
        return;
      case "description":
        return this.#push(filtered.message);
      case "change":
        return this.#isFollowed(filtered.tableKeys) ? this.#pass(filtered.message) : this.#miss();
      case "other":
        return this.#pass(filtered.message);
    }
  }

  #isFollowed(keys: readonly string[]): boolean {
    return keys.some((key) => ALWAYS_FOLLOWED.has(key) || this.#tables.has(key));
  }

  #pass(message: Buffer): void {
    if (this.#begin !== null) {
      this.#push(this.#begin);
      [this.#begin, this.#hasBegun] = [null, true];
    }
    this.#push(message);
  }

  #miss(): void {
    if (this.#missed.at(-1) === this.#xid) return;
    this.#missed.push(this.#xid);
    if (this.#missed.length > MAX_MISSED) this.#missed.shift();
  }
}
