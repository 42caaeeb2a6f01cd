import { LRUCache } from "lru-cache";
import type { TransactionRequest } from "./transaction-request.ts";
import { LONGEST_TEXT } from "./prepared-statements.ts";

const QUICK_MS = 5;
/** How much the last time counts. */
const WEIGHT = 0.2;
const LIMIT = 500;

/** How long statements have taken of late, so that a slow one does not make neighbours wait for it. */
export class StatementPace {
  readonly #meansMs = new LRUCache<string, number>({ max: LIMIT });

  /** One that was never seen is not. */
  isQuick({ statements }: TransactionRequest): boolean {
    return statements.every(({ text, isAnswered }) => !isAnswered || (this.#meansMs.get(text) ?? Infinity) <= QUICK_MS);
  }

  /** What was refused or lost before its time says nothing: perhaps it was never run. */
  note({ statements }: TransactionRequest, durationMs: number, hasCommitted: boolean): void {
    if (!hasCommitted && durationMs <= QUICK_MS) return;
    for (const { text, isAnswered } of statements) if (isAnswered) this.#noteText(text, durationMs);
  }

  #noteText(text: string, durationMs: number): void {
    const meanMs = this.#meansMs.get(text);
    if (meanMs !== undefined) {
      this.#meansMs.set(text, meanMs + WEIGHT * (durationMs - meanMs));
      return;
    }
    if (text.length <= LONGEST_TEXT) this.#meansMs.set(text, durationMs);
  }
}
