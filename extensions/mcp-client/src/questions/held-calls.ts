import type { Client } from "@modelcontextprotocol/client";
import { clearAsker } from "./asker.ts";
import type { HeldCall } from "./held-call.ts";
import type { OpenCall } from "./open-call.ts";

interface HeldCallsOptions {
  newId(): string;
  /** Which of the executions still wait for a person, or have an answer that is about to be used. */
  selectWaiting(executionIds: readonly string[]): Promise<ReadonlySet<string>>;
  readonly checkMs?: number;
}

/** A session of the pool that outlives the call for which it was borrowed. */
export interface KeptLoan {
  readonly client: Client;
  release(isReusable: boolean): void;
}

/** A call and the session that it has for itself. */
export interface Holding {
  readonly call: OpenCall;
  readonly loan: KeptLoan;
  /** Of the target: the answer must go to the same server, as the same user. */
  readonly key: string;
  readonly executionId: string;
}

const CHECK_MS = 15_000;

/** Calls of this node whose server waits for a person. */
export class HeldCalls {
  readonly #options: HeldCallsOptions;
  readonly #holdings = new Map<string, Holding>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  hold(holding: Holding): HeldCall {
    const id = this.#options.newId();
    this.#holdings.set(id, holding);
    this.#schedule();
    return holding.call.describe(id);
  }

  /** Returns null when this node does not have the call. */
  take(id: string, key: string): Holding | null {
    const holding = this.#holdings.get(id);
    if (holding?.key !== key) return null;
    this.#holdings.delete(id);
    return holding;
  }

  /** Does not cancel the calls: another node may resume them. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const { loan } of this.#holdings.values()) loan.release(false);
    this.#holdings.clear();
  }

  #schedule(): void {
    if (this.#timer !== null || this.#holdings.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#cancelAbandoned().finally(() => {
        this.#timer = null;
        this.#schedule();
      });
    }, this.#options.checkMs ?? CHECK_MS).unref();
  }

  /** A run that has ended or was deleted, or a question that has expired, does not tell the node that holds the call. */
  async #cancelAbandoned(): Promise<void> {
    const held = [...this.#holdings];
    try {
      const waiting = await this.#options.selectWaiting(held.map(([, { executionId }]) => executionId));
      for (const [id, { call, loan, executionId }] of held) {
        if (waiting.has(executionId) || !this.#holdings.delete(id)) continue;
        call.cancel();
        clearAsker(loan.client);
        loan.release(true);
      }
    } catch {
      // The next check finds them.
    }
  }
}
