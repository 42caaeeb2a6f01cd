import { LRUCache } from "lru-cache";

export interface PreparedStatement {
  readonly name: string;
  readonly role: string;
  readonly text: string;
  /** Not before the server has said so: when an earlier statement fails, it never sees the Parse. */
  isParsed: boolean;
  lastTransaction: number;
}

export interface StatementUse {
  /** Empty: the unnamed statement. */
  readonly name: string;
  readonly mustParse: boolean;
  readonly statement: PreparedStatement | null;
}

const UNNAMED: StatementUse = { name: "", mustParse: true, statement: null };
const DEFAULT_LIMIT = 200;
const SEEN_LIMIT = 500;
// What is longer is hardly ever asked twice, and would be kept on both sides of every connection.
export const LONGEST_TEXT = 32_768;

/**
 * What one connection has prepared. The server keeps a plan per statement and makes it anew whenever the role has
 * changed, so each role has its own. A text is worth a name when it comes the second time.
 */
export class PreparedStatements {
  readonly #limit: number;
  readonly #named = new Map<string, Map<string, PreparedStatement>>();
  readonly #seen = new LRUCache<string, true>({ max: SEEN_LIMIT });
  #pending: PreparedStatement[] = [];
  #closing: string[] = [];
  #count = 0;
  #made = 0;
  #flight = 0;

  constructor(limit = DEFAULT_LIMIT) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** Between flights, whatever has a name is parsed. */
  has(role: string, text: string): boolean {
    return this.#named.get(role)?.has(text) === true;
  }

  beginTransaction(): void {
    this.#flight += 1;
  }

  /** Within a flight, a statement that it has yet to parse may be used again: if the Parse fails, so does what follows. */
  use(role: string, text: string): StatementUse {
    const known = this.#named.get(role)?.get(text);
    if (known !== undefined) {
      known.lastTransaction = this.#flight;
      return { name: known.name, mustParse: false, statement: known };
    }
    if (!this.#isWorthName(role, text) || !this.#makeRoom()) return UNNAMED;
    const statement = this.#add(role, text);
    return { name: statement.name, mustParse: true, statement };
  }

  /** Names that the server may forget. They go first in a flight, where nothing can fail before them. */
  takeClosing(): readonly string[] {
    if (this.#closing.length === 0) return [];
    const closing = this.#closing;
    this.#closing = [];
    return closing;
  }

  endTransaction(): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    for (const statement of pending) if (!statement.isParsed) this.#remove(statement);
  }

  evict(statement: PreparedStatement): void {
    if (!this.#remove(statement)) return;
    // Closing what the server no longer has is no error.
    this.#closing.push(statement.name);
  }

  #isWorthName(role: string, text: string): boolean {
    if (text.length > LONGEST_TEXT) return false;
    const key = `${role}\n${text}`;
    if (this.#seen.delete(key)) return true;
    this.#seen.set(key, true);
    return false;
  }

  #makeRoom(): boolean {
    if (this.#count < this.#limit) return true;
    let oldest: PreparedStatement | null = null;
    for (const byText of this.#named.values()) {
      for (const statement of byText.values()) {
        if (oldest === null || statement.lastTransaction < oldest.lastTransaction) oldest = statement;
      }
    }
    if (oldest === null || oldest.lastTransaction === this.#flight) return false;
    this.evict(oldest);
    return true;
  }

  #add(role: string, text: string): PreparedStatement {
    this.#made += 1;
    const statement = { name: `${role}_${this.#made}`, role, text, isParsed: false, lastTransaction: this.#flight };
    let byText = this.#named.get(role);
    if (byText === undefined) {
      byText = new Map();
      this.#named.set(role, byText);
    }
    byText.set(text, statement);
    this.#pending.push(statement);
    this.#count += 1;
    return statement;
  }

  #remove(statement: PreparedStatement): boolean {
    const byText = this.#named.get(statement.role);
    if (byText?.get(statement.text) !== statement) return false;
    byText.delete(statement.text);
    this.#count -= 1;
    return true;
  }
}
