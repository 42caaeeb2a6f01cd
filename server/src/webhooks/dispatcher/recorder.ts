import { setTimeout as sleep } from "node:timers/promises";
import { type AttemptRecord, type RecordedRow, recordOutcomes } from "../sql/record-outcomes.ts";
import type { WebhookTools } from "../webhook-options.ts";

const LOOK_AFTER_MS = 5;
/** A flush costs as much as thirty rows of it: while this many come between two looks, it is worth waiting for more. */
const BRISK_ROWS = 8;
const MAX_LOOKS = 6;
/** A row of a large batch costs half of what it costs in a small one, so a second flush beside the first has to be full. */
const FLUSH_ROWS = 300;
const MAX_FLUSHES = 2;
const RETRY_AFTER_MS = 250;

interface WaitingRecord {
  readonly record: AttemptRecord;
  /** Whether trying again still makes sense: later the delivery is somebody else's. */
  readonly isLeased: () => boolean;
  readonly onSettled: () => void;
}

/** Writes outcomes in batches. What is lost with the process was sent and not recorded, and is sent again. */
export class Recorder {
  readonly #tools: WebhookTools;
  readonly #onDisabled: (webhookId: string) => void;
  readonly #waiting: WaitingRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #looks = 0;
  #rowsAtLastLook = 0;
  #flushes = 0;

  constructor(tools: WebhookTools, onDisabled: (webhookId: string) => void) {
    this.#tools = tools;
    this.#onDisabled = onDisabled;
  }

  add(waiting: WaitingRecord): void {
    this.#waiting.push(waiting);
    // Until it is on record, others go on sending to an endpoint that asked for a pause.
    if (waiting.record.pauseMs !== null || waiting.record.shouldDisable) this.#looks = MAX_LOOKS;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#waiting.length >= FLUSH_ROWS) this.#flush();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#look(), LOOK_AFTER_MS);
  }

  #look(): void {
    this.#timer = null;
    const isBrisk = this.#waiting.length - this.#rowsAtLastLook >= BRISK_ROWS;
    this.#rowsAtLastLook = this.#waiting.length;
    this.#looks += 1;
    if (isBrisk && this.#looks < MAX_LOOKS) this.#schedule();
    else this.#flush();
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#flushes >= MAX_FLUSHES || this.#waiting.length < (this.#flushes === 0 ? 1 : FLUSH_ROWS)) return;
    const batch = this.#waiting.splice(0, FLUSH_ROWS);
    this.#looks = 0;
    this.#rowsAtLastLook = this.#waiting.length;
    this.#flushes += 1;
    void this.#write(batch).finally(() => {
      this.#flushes -= 1;
      for (const { onSettled } of batch) onSettled();
      this.#schedule();
    });
    this.#schedule();
  }

  async #write(batch: readonly WaitingRecord[]): Promise<void> {
    const { pool, disableRule, observer } = this.#tools;
    let leased = batch;
    for (let isFirst = true; leased.length > 0; isFirst = false) {
      try {
        this.#report(
          await recordOutcomes(
            pool,
            leased.map(({ record }) => record),
            disableRule,
          ),
        );
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
