import { LRUCache } from "lru-cache";
import type { TransactionRequest } from "./transaction-request.ts";
import { LONGEST_TEXT } from "./prepared-statements.ts";

const QUICK_MS = 5;
/** Of the latest duration in the mean. */
const WEIGHT = 0.2;
const LIMIT = 500;

/** Moving means of the durations of statements. A slow statement must not share a connection. */
export class StatementPace {
  readonly #meansMs = new LRUCache<string, number>({ max: LIMIT });

  /** A statement without a recorded duration is not quick. */
  isQuick({ statements }: TransactionRequest): boolean {
    return statements.every(({ text, isAnswered }) => !isAnswered || (this.#meansMs.get(text) ?? Infinity) <= QUICK_MS);
  }

  /** Ignores a quick failure: the statement may not have run at all. */
  record({ statements }: TransactionRequest, durationMs: number, hasCommitted: boolean): void {
    if (!hasCommitted && durationMs <= QUICK_MS) return;
    for (const { text, isAnswered } of statements) if (isAnswered) this.#recordText(text, durationMs);
  }

  #recordText(text: string, durationMs: number): void {
    const meanMs = this.#meansMs.get(text);
    if (meanMs !== undefined) {
      this.#meansMs.set(text, meanMs + WEIGHT * (durationMs - meanMs));
      return;
    }
    if (text.length <= LONGEST_TEXT) this.#meansMs.set(text, durationMs);
  }
}
