import type { EventRow } from "../streams/stream-hub.ts";
import type { Block, DeltaSource, DeltaType, EventSequencer } from "./event-sequencer.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import type { RunStore } from "./run-store.ts";
import { RunStop } from "./run-stop.ts";
import type { Advanced, NumberedStep, RunLease } from "./sql/advance-runs.ts";
import { type CancelReason, countSeqs, type Step, type StepResult } from "./steps.ts";

const FLUSH_CHARS = 4_096;
/** A status change of a turn waits this long for further steps: a short answer then ends in the same transaction. */
const STATUS_DELAY_MS = 15;

interface RunWriterOptions {
  readonly store: RunStore;
  readonly hold: RunLease;
  readonly sequencer: EventSequencer;
  /** Whether this node may still hold the run. While it does, writes wait for an unreachable database. */
  isHeld(): boolean;
  onCancel(reason: CancelReason): void;
  onLost(error: unknown): void;
  /** Called when a commit raised events. */
  onEvents(): void;
  /** What another node needs to continue the run after the steps that were submitted so far; null means nothing but its rows. */
  readProgress(lastSeq: number): unknown;
}

interface Entry {
  readonly step: Step;
  /** Its seqs; a delayed step gets them when the batch is sent or another step follows. */
  block: Block | null;
  resolve(result: StepResult): void;
  reject(error: unknown): void;
}

/** The steps after which a run continues elsewhere than before them. */
const PROGRESS_OPS: ReadonlySet<Step["op"]> = new Set(["start_turn", "finish_turn", "start_tool", "finish_tool"]);
/** Whoever continues a run after these does not need the progress, or they store it themselves. */
const LAST_OPS: ReadonlySet<Step["op"]> = new Set(["finish_run", "pause"]);

/** Model calls are always followed by another step, in whose transaction they are written. */
function isUrgent({ op }: Step): boolean {
  return op !== "add_model_calls";
}

type Phase =
  | { readonly kind: "idle" | "writing" | "ended" }
  | { readonly kind: "scheduled"; readonly timer: NodeJS.Timeout; readonly atMs: number };

const IDLE: Phase = { kind: "idle" };
const WRITING: Phase = { kind: "writing" };
const ENDED: Phase = { kind: "ended" };

/**
 * The only writer of a run's state. It has one transaction in progress at a time, with all steps that were submitted while
 * the one before was in progress: the end of a turn and the start of the next share a round trip.
 *
 * idle: nothing has to be written. Model calls may wait, but only for the next step.
 * scheduled: deltas or a status wait for the timer. An earlier time replaces a later one.
 * writing: from the timer, or at once when a step or many deltas came, until neither is left. Then idle, or scheduled with what is left.
 * ended: from any phase, by `close`, or because the run is lost: another node holds it, the database was unreachable for longer than the
 *   lease, or an invariant does not hold. The write in progress ends, no other begins, and new steps are rejected.
 *
 * Steps are written in the order in which they were submitted, each once, and resolve after their commit. Deltas are published before
 * they are stored, steps after it. What a crash leaves is the last commit: the next node continues the run from there.
 */
export class RunWriter {
  readonly #options: RunWriterOptions;
  #entries: Entry[] = [];
  /** Deltas that could not be stored because another transaction held the run. */
  #leftRows: readonly EventRow[] = [];
  /** Stored events that a crash of the database could undo. The next write that waits for the disk has them again. */
  #atRisk: EventRow[] = [];
  #phase: Phase = IDLE;

  constructor(options: RunWriterOptions) {
    this.#options = options;
  }

  /** Publishes the text at once and stores it with the next batch. */
  delta(type: DeltaType, source: DeltaSource, text: string): void {
    if (this.#phase.kind === "ended") return;
    const { sequencer, store, isHeld } = this.#options;
    // The process may have been paused, and another node may have taken the run over.
    if (!isHeld()) return this.#lose(null, []);
    sequencer.delta(type, source, text);
    if (sequencer.unstoredChars >= FLUSH_CHARS) this.#startWriting();
    else if (this.#phase.kind === "idle") this.#scheduleIn(store.deltaPauseMs);
  }

  /** Writes the step with everything else that is submitted until the batch is sent. Rejects with a RunStop when the run is lost. */
  submit(step: Step): Promise<StepResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StepResult>();
    // A caller that does not await the result learns of a lost run by the signal.
    promise.catch(() => {});
    if (this.#phase.kind === "ended") {
      reject(new RunStop("lost"));
      return promise;
    }
    if (step.op === "finish_turn") this.#dropResponding(step);
    this.#entries.push({ step, block: null, resolve, reject });
    if (!isUrgent(step)) return promise;
    if (step.op === "turn_status") this.#scheduleIn(STATUS_DELAY_MS);
    else {
      for (const entry of this.#entries) this.#number(entry);
      this.#startWriting();
    }
    return promise;
  }

  close(): void {
    this.#enter(ENDED);
  }

  #enter(phase: Phase): void {
    if (this.#phase.kind === "scheduled") clearTimeout(this.#phase.timer);
    this.#phase = phase;
  }

  /** The end of a turn with text implies that it was responding. */
  #dropResponding(end: Extract<Step, { op: "finish_turn" }>): void {
    if (end.status !== "completed" || end.content === "") return;
    this.#entries = this.#entries.filter(({ step, block, resolve }) => {
      const isImplied = step.op === "turn_status" && step.status === "responding" && step.turn_id === end.turn_id;
      if (!isImplied) return true;
      // Another step may have followed since. Events after a block that is not filled are never published.
      if (block !== null) this.#options.sequencer.fill(block, []);
      resolve({ events: [] });
      return false;
    });
  }

  #number(entry: Entry): Block {
    entry.block ??= this.#options.sequencer.reserve(countSeqs(entry.step));
    return entry.block;
  }

  #takeRows(): readonly EventRow[] {
    const rows = [...this.#leftRows, ...this.#options.sequencer.takeUnstored()];
    this.#leftRows = [];
    return rows;
  }

  #sendAgain(): void {
    this.#leftRows = [...this.#atRisk, ...this.#leftRows];
    this.#atRisk = [];
  }

  #noteStored(stored: readonly EventRow[], isDurable: boolean): void {
    if (isDurable) this.#atRisk = [];
    else this.#atRisk.push(...stored);
    this.#options.sequencer.markStored(isDurable);
  }

  #hasRows(): boolean {
    return this.#leftRows.length > 0 || this.#options.sequencer.unstoredChars > 0;
  }

  #hasUrgent(): boolean {
    return this.#entries.some(({ step }) => isUrgent(step));
  }

  #takeBatch(): readonly Entry[] {
    if (!this.#hasUrgent()) return [];
    const batch = this.#entries;
    this.#entries = [];
    return batch;
  }

  #lose(error: unknown, batch: readonly Entry[]): void {
    this.#enter(ENDED);
    const left = [...batch, ...this.#entries];
    this.#entries = [];
    this.#options.onLost(error);
    for (const entry of left) entry.reject(new RunStop("lost"));
  }

  async #writeDeltas(): Promise<void> {
    const { store, hold, sequencer, isHeld, onCancel } = this.#options;
    const isDurable = sequencer.needsDurable;
    if (isDurable) this.#sendAgain();
    const rows = this.#takeRows();
    try {
      const afterSeq = this.#atRisk.at(-1)?.seq ?? null;
      const result = await store.storeDeltas({ hold, rows, afterSeq, isDurable });
      if (result.is_lost) return this.#lose(null, []);
      if (result.cancel_reason !== null) onCancel(result.cancel_reason);
      if (result.is_stored) return this.#noteStored(rows, isDurable);
      this.#leftRows = rows;
      if (result.has_gap) this.#sendAgain();
      if (!isHeld()) this.#lose(null, []);
    } catch (error) {
      this.#lose(error, []);
    }
  }

  async #writeBatch(batch: readonly Entry[]): Promise<void> {
    const { store, hold, isHeld } = this.#options;
    const blocks = batch.map((entry) => this.#number(entry));
    this.#sendAgain();
    const events = this.#takeRows();
    const steps = batch.map(({ step }, index): NumberedStep => ({ ...step, seq: blocks[index]?.seq ?? 0 }));
    const progress = this.#readProgress(batch);
    if (progress !== null) steps.push({ op: "save_progress", progress, seq: 0 });
    try {
      const advanced = await retryWhileHeld((isRepeated) => store.advance({ hold, steps, events, isRepeated }), isHeld);
      if (advanced.isLost) this.#lose(null, batch);
      else this.#publish(batch, blocks, events, advanced);
    } catch (error) {
      this.#lose(error, batch);
    }
  }

  /** The batch has all steps so far, so the state of the run is the one after it. */
  #readProgress(batch: readonly Entry[]): unknown {
    const isNeeded =
      batch.some(({ step }) => PROGRESS_OPS.has(step.op)) && !batch.some(({ step }) => LAST_OPS.has(step.op));
    return isNeeded ? this.#options.readProgress(this.#options.sequencer.lastSeq) : null;
  }

  #publish(batch: readonly Entry[], blocks: readonly Block[], rows: readonly EventRow[], advanced: Advanced): void {
    const { sequencer, onCancel, onEvents } = this.#options;
    const { results, cancelReason, hasEvents, isDurable } = advanced;
    if (results.length < batch.length) throw new Error(`${batch.length} steps have ${results.length} results`);
    if (cancelReason !== null) onCancel(cancelReason);
    for (const [index, block] of blocks.entries()) sequencer.fill(block, results[index]?.events ?? []);
    this.#noteStored([...rows, ...results.flatMap(({ events }) => events)], isDurable);
    for (const [index, entry] of batch.entries()) entry.resolve(results[index] ?? { events: [] });
    if (hasEvents) onEvents();
  }

  async #writePending(): Promise<void> {
    // Steps that the same tick submits join the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const { sequencer, store } = this.#options;
    do {
      const batch = this.#takeBatch();
      if (batch.length > 0) await this.#writeBatch(batch);
      else if (this.#hasRows()) await this.#writeDeltas();
    } while (this.#phase.kind === "writing" && (this.#hasUrgent() || sequencer.unstoredChars >= FLUSH_CHARS));
    if (this.#phase.kind === "writing") this.#enter(IDLE);
    if (this.#hasRows()) this.#scheduleIn(store.deltaPauseMs);
  }

  #startWriting(): void {
    if (this.#phase.kind === "writing" || this.#phase.kind === "ended") return;
    this.#enter(WRITING);
    void this.#writePending();
  }

  #scheduleIn(delayMs: number): void {
    if (this.#phase.kind === "writing" || this.#phase.kind === "ended") return;
    const atMs = performance.now() + delayMs;
    if (this.#phase.kind === "scheduled" && atMs >= this.#phase.atMs) return;
    this.#enter({ kind: "scheduled", timer: setTimeout(() => this.#startWriting(), delayMs), atMs });
  }
}
