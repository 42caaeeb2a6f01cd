import { setTimeout as sleep } from "node:timers/promises";
import { type AttemptRecord, type RecordedRow, recordOutcomes } from "../sql/record-outcomes.ts";
import type { WebhookTools } from "../webhook-options.ts";

const POLL_MS = 5;
/** A flush costs as much as thirty of its rows: while this many arrive between two polls, waiting for more is cheaper. */
const MIN_NEW_ROWS = 8;
const MAX_POLLS = 6;
/** A row of a large batch costs half of a row of a small one, so a concurrent second flush must be full. */
const FLUSH_ROWS = 300;
const MAX_FLUSHES = 2;
const RETRY_AFTER_MS = 250;

interface PendingRecord {
  readonly record: AttemptRecord;
  /** Without the lease the delivery may belong to another node, so the record is not retried. */
  readonly isLeased: () => boolean;
  readonly onSettled: () => void;
}

type RecorderTools = Pick<WebhookTools, "pool" | "disableRule" | "observer">;

/** Writes outcomes in batches. Outcomes that are lost with the process are not recorded, and those deliveries are sent again. */
export class Recorder {
  readonly #tools: RecorderTools;
  readonly #onDisabled: (webhookId: string) => void;
  readonly #pending: PendingRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #polls = 0;
  #rowsAtLastPoll = 0;
  #flushes = 0;

  constructor(tools: RecorderTools, onDisabled: (webhookId: string) => void) {
    this.#tools = tools;
    this.#onDisabled = onDisabled;
  }

  add(pending: PendingRecord): void {
    this.#pending.push(pending);
    // Other nodes send to a paused or disabled endpoint until the pause is recorded, so it is written without delay.
    if (pending.record.pauseMs !== null || pending.record.shouldDisable) this.#polls = MAX_POLLS;
    this.#schedule();
  }

  /** Writes what is pending without waiting for more. */
  flush(): void {
    if (this.#pending.length > 0) this.#flush();
  }

  #schedule(): void {
    if (this.#pending.length >= FLUSH_ROWS) this.#flush();
    else if (this.#pending.length > 0) this.#timer ??= setTimeout(() => this.#poll(), POLL_MS);
  }

  #poll(): void {
    this.#timer = null;
    const newRows = this.#pending.length - this.#rowsAtLastPoll;
    this.#rowsAtLastPoll = this.#pending.length;
    this.#polls += 1;
    if (newRows >= MIN_NEW_ROWS && this.#polls < MAX_POLLS) this.#schedule();
    else this.#flush();
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#flushes >= MAX_FLUSHES || this.#pending.length < (this.#flushes === 0 ? 1 : FLUSH_ROWS)) return;
    const batch = this.#pending.splice(0, FLUSH_ROWS);
    this.#polls = 0;
    this.#rowsAtLastPoll = this.#pending.length;
    this.#flushes += 1;
    void this.#write(batch).finally(() => {
      this.#flushes -= 1;
      for (const { onSettled } of batch) onSettled();
      this.#schedule();
    });
    this.#schedule();
  }

  async #write(batch: readonly PendingRecord[]): Promise<void> {
    const { pool, disableRule, observer } = this.#tools;
    let leased = batch;
    for (let isFirst = true; leased.length > 0; isFirst = false) {
      try {
        const records = leased.map(({ record }) => record);
        this.#report(await recordOutcomes(pool, records, disableRule));
        return;
      } catch (error) {
        if (isFirst) observer.note("webhook.record_failed", { deliveries: leased.length, error });
        await sleep(RETRY_AFTER_MS);
        leased = leased.filter(({ isLeased }) => isLeased());
      }
    }
  }

  #report(rows: readonly RecordedRow[]): void {
    for (const { kind, id, reason } of rows) {
      if (kind === "disabled") {
        this.#tools.observer.note("webhook.disabled", { webhookId: id, reason });
        this.#onDisabled(id);
      } else {
        this.#tools.observer.note("webhook.failing", { webhookId: id, failures: Number(reason) });
      }
    }
  }
}
