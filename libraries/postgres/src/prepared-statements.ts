import { LRUCache } from "lru-cache";

export interface PreparedStatement {
  readonly name: string;
  readonly role: string;
  readonly text: string;
  /** Set when the server confirms it: when an earlier statement fails, the server skips the Parse. */
  isParsed: boolean;
  lastTransaction: number;
}

export interface StatementUse {
  /** Empty: the unnamed statement. */
  readonly name: string;
  readonly mustParse: boolean;
  readonly statement: PreparedStatement | null;
}

export const UNNAMED: StatementUse = { name: "", mustParse: true, statement: null };
const DEFAULT_LIMIT = 200;
const SEEN_LIMIT = 500;
// Longer texts are hardly ever sent twice, and both sides of every connection would keep them.
export const LONGEST_TEXT = 32_768;

/**
 * The prepared statements of one connection. The server keeps one plan per statement and makes a new one whenever the role
 * has changed, so each role has its own statements. A text gets a name at its second use.
 */
export class PreparedStatements {
  readonly #limit: number;
  readonly #named = new Map<string, Map<string, PreparedStatement>>();
  readonly #seen = new LRUCache<string, true>({ max: SEEN_LIMIT });
  #pending: PreparedStatement[] = [];
  #closing: string[] = [];
  #count = 0;
  #createdCount = 0;
  #transaction = 0;

  constructor(limit = DEFAULT_LIMIT) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** Between transactions, every named statement is parsed. */
  has(role: string, text: string): boolean {
    return this.#named.get(role)?.has(text) === true;
  }

  beginTransaction(): void {
    this.#transaction += 1;
  }

  /** A statement may be used again before the transaction has parsed it: when the Parse fails, so do the statements after it. */
  use(role: string, text: string): StatementUse {
    const known = this.#named.get(role)?.get(text);
    if (known !== undefined) {
      known.lastTransaction = this.#transaction;
      return { name: known.name, mustParse: false, statement: known };
    }
    if (!this.#isWorthName(role, text) || !this.#makeSpace()) return UNNAMED;
    const statement = this.#add(role, text);
    return { name: statement.name, mustParse: true, statement };
  }

  /** Names for the server to close. They go first in a transaction, where nothing can fail before them. */
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
    // Closing a statement that does not exist is not an error.
    this.#closing.push(statement.name);
  }

  #isWorthName(role: string, text: string): boolean {
    if (text.length > LONGEST_TEXT) return false;
    const key = `${role}\n${text}`;
    if (this.#seen.delete(key)) return true;
    this.#seen.set(key, true);
    return false;
  }

  #makeSpace(): boolean {
    if (this.#count < this.#limit) return true;
    let oldest: PreparedStatement | null = null;
    for (const byText of this.#named.values()) {
      for (const statement of byText.values()) {
        if (oldest === null || statement.lastTransaction < oldest.lastTransaction) oldest = statement;
      }
    }
    if (oldest === null || oldest.lastTransaction === this.#transaction) return false;
    this.evict(oldest);
    return true;
  }

  #add(role: string, text: string): PreparedStatement {
    this.#createdCount += 1;
    const statement = {
      name: `${role}_${this.#createdCount}`,
      role,
      text,
      isParsed: false,
      lastTransaction: this.#transaction,
    };
    const byText = this.#named.get(role) ?? new Map<string, PreparedStatement>();
    this.#named.set(role, byText.set(text, statement));
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
