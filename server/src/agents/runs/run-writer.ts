import type pg from "pg";
import type { DeltaStore } from "./delta-store.ts";
import type { Block, DeltaSource, DeltaType, EventSequencer } from "./event-sequencer.ts";
import { asPlainEnd } from "./plain-end.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import type { RunEnds } from "./run-ends.ts";
import { RunStop } from "./run-stop.ts";
import { type Advance, advanceRun, type NumberedStep, type RunHold } from "./sql/advance-run.ts";
import { countSeqs, type EventRow, type Step, type StepResult } from "./steps.ts";

const FLUSH_CHARS = 4_096;
/** What only says how a turn goes on may wait a moment for what it goes on with: short answers end in the same transaction. */
const LINGER_MS = 15;

export interface RunWriter {
  /** Shown at once, stored with the next batch. */
  delta(type: DeltaType, source: DeltaSource, text: string): void;
  /** Written with everything else that is submitted until the batch leaves. Rejects with a RunStop when the run is lost. */
  submit(step: Step): Promise<StepResult>;
  close(): void;
}

export interface RunWriterOptions {
  readonly pool: pg.Pool;
  readonly deltas: DeltaStore;
  readonly ends: RunEnds;
  readonly hold: RunHold;
  readonly line: EventSequencer;
  /** Whether the run may still be this node's. As long as it may, a database that is away is waited for. */
  isHeld(): boolean;
  onCancel(reason: "cancelled" | "interrupted" | "disconnected"): void;
  onLost(error: unknown): void;
  /** Something was committed that may have raised events. */
  onCommit(): void;
}

interface Entry {
  readonly step: Step;
  /** Its place among the events; one that lingers has none before the batch leaves or something else comes after it. */
  block: Block | null;
  resolve(result: StepResult): void;
  reject(error: unknown): void;
}

/**
 * All writes of one run: one transaction at a time, holding whatever was submitted while the one before was under way. Steps
 * that follow each other without a wait, such as the end of a turn and the start of the next, so share a round trip.
 */
export function createRunWriter(options: RunWriterOptions): RunWriter {
  const { pool, deltas, ends, hold, line } = options;
  let entries: Entry[] = [];
  /** Taken from the line and not stored yet, because the run's row was held by somebody. */
  let leftRows: readonly EventRow[] = [];
  let pumping: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let timerAtMs = Number.POSITIVE_INFINITY;
  let isLost = false;

  const lose = (error: unknown, batch: readonly Entry[]): void => {
    isLost = true;
    const left = [...batch, ...entries];
    entries = [];
    options.onLost(error);
    for (const entry of left) entry.reject(new RunStop("lost"));
  };
  const place = (entry: Entry): Block => (entry.block ??= line.reserve(countSeqs(entry.step)));
  const takeRows = (): readonly EventRow[] => {
    const rows = [...leftRows, ...line.takeUnstored()];
    leftRows = [];
    return rows;
  };
  /** The end of a turn that has spoken tells of its beginning to speak too. */
  const dropBegun = (end: Extract<Step, { op: "finish_turn" }>): void => {
    if (end.status !== "completed" || end.content === "") return;
    entries = entries.filter(({ step, resolve }) => {
      const isTold = step.op === "turn_status" && step.status === "responding" && step.turn_id === end.turn_id;
      if (isTold) resolve({ events: [] });
      return !isTold;
    });
  };
  const hasRows = (): boolean => leftRows.length > 0 || line.unstoredChars > 0;

  const writeDeltas = async (): Promise<void> => {
    const rows = takeRows();
    try {
      const verdict = await deltas.put(hold, rows);
      if (verdict.is_lost) return lose(null, []);
      if (verdict.cancel_reason !== null) options.onCancel(verdict.cancel_reason);
      if (verdict.is_stored) return line.settle();
      leftRows = rows;
      if (!options.isHeld()) lose(null, []);
    } catch (error) {
      lose(error, []);
    }
  };
  /** True: the run has come to an end with all that is in the batch. */
  const endPlainly = async (
    batch: readonly Entry[],
    steps: readonly NumberedStep[],
    rows: readonly EventRow[],
  ): Promise<boolean> => {
    const end = asPlainEnd(hold, steps, rows);
    const ended = end === null ? null : await ends(end);
    const [turn, run] = batch;
    if (end === null || ended === null || turn === undefined || run === undefined) return false;
    const last = { seq: end.end_seq, type: "run.completed", agent_id: null, restricted: false, data: ended.body };
    line.fill(place(turn), ended.events);
    line.fill(place(run), [last]);
    line.settle();
    for (const { resolve } of batch) resolve({ events: [], hasNext: ended.has_next });
    if (ended.has_events) options.onCommit();
    return true;
  };
  const writeBatch = async (batch: readonly Entry[]): Promise<void> => {
    const blocks = batch.map(place);
    const rows = takeRows();
    const steps: NumberedStep[] = batch.map(({ step }, at) => ({ ...step, seq: blocks[at]?.seq ?? 0 }));
    if (await endPlainly(batch, steps, rows)) return;
    if (rows.length > 0) steps.unshift({ op: "events", events: rows, seq: 0 });
    let advance: Advance;
    try {
      advance = await retryWhileHeld((isInDoubt) => advanceRun(pool, hold, steps, isInDoubt), options.isHeld);
    } catch (error) {
      lose(error, batch);
      return;
    }
    if (advance.is_lost) {
      lose(null, batch);
      return;
    }
    const results = rows.length > 0 ? advance.results.slice(1) : advance.results;
    if (advance.cancel_reason !== null) options.onCancel(advance.cancel_reason);
    for (const [at, block] of blocks.entries()) {
      const events = results[at]?.events ?? [];
      line.fill(block, batch[at]?.step.op === "finish_run" ? events.map(withData(advance.body)) : events);
    }
    line.settle();
    const messages = advance.messages ?? [];
    for (const [at, entry] of batch.entries()) entry.resolve({ events: [], ...results[at], messages });
    options.onCommit();
  };
  const pump = async (): Promise<void> => {
    // Not before everything that follows without a wait has been submitted too.
    await new Promise((resolve) => setImmediate(resolve));
    do {
      const batch = entries;
      entries = [];
      if (batch.length > 0) await writeBatch(batch);
      else if (hasRows()) await writeDeltas();
    } while (!isLost && (entries.length > 0 || line.unstoredChars >= FLUSH_CHARS));
    pumping = null;
    if (hasRows()) scheduleIn(deltas.pauseMs);
  };
  const startPump = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    timerAtMs = Number.POSITIVE_INFINITY;
    pumping ??= pump();
  };
  const scheduleIn = (delayMs: number): void => {
    if (isLost || pumping !== null) return;
    const atMs = performance.now() + delayMs;
    if (atMs >= timerAtMs) return;
    if (timer !== null) clearTimeout(timer);
    timerAtMs = atMs;
    timer = setTimeout(startPump, delayMs);
  };

  return {
    delta(type, source, text) {
      if (isLost) return;
      line.delta(type, source, text);
      if (line.unstoredChars >= FLUSH_CHARS) startPump();
      else if (timer === null) scheduleIn(deltas.pauseMs);
    },
    submit(step) {
      const { promise, resolve, reject } = Promise.withResolvers<StepResult>();
      // Whoever does not wait for it learns of a lost run by the signal.
      promise.catch(() => {});
      if (isLost) {
        reject(new RunStop("lost"));
        return promise;
      }
      if (step.op === "finish_turn") dropBegun(step);
      const entry: Entry = { step, block: null, resolve, reject };
      entries.push(entry);
      if (step.op === "turn_status") scheduleIn(LINGER_MS);
      else {
        for (const waiting of entries) place(waiting);
        startPump();
      }
      return promise;
    },
    close() {
      isLost = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function withData(data: EventRow["data"] | null): (event: EventRow) => EventRow {
  return (event) => ({ ...event, data: data ?? {} });
}
