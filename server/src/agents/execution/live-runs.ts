import { setTimeout as sleep } from "node:timers/promises";
import { executeRun, type HeldRun, type StartedRun } from "./execute-run.ts";
import type { RunPorts } from "../run/live-run.ts";
import { retryWhileHeld } from "../writer/retry-while-held.ts";
import type { RunPlaces } from "./run-places.ts";
import { RunStop } from "../writer/run-stop.ts";
import { type RenewedRun, releaseRuns, renewRunLeases } from "./sql/manage-runs.ts";

/** A run is aborted when less than this share of its lease is left, before other nodes may take it over. */
const MIN_HELD_SHARE = 0.25;
const WATCH_TIMEOUT_MS = 3_000;
/** For handing over the runs that are left when the node stops. */
const HAND_OVER_MS = 5_000;

interface LiveRunsOptions {
  readonly ports: RunPorts;
  readonly places: RunPlaces;
  readonly leaseMs: number;
  /** How long live runs may take to finish when the node stops. */
  readonly stopTimeoutMs: number;
  /** Called when the number of live runs grows. */
  onStarted(): void;
  /** Called when a run has ended. `mayWait`: another run may be queued behind it. */
  onEnded(mayWait: boolean): void;
}

interface LiveEntry extends HeldRun {
  /** The lease is valid until then at least. */
  readonly lease: { heldUntilMs: number };
  readonly done: Promise<void>;
}

/** The runs that this node executes, and their leases. */
export class LiveRuns {
  readonly #options: LiveRunsOptions;
  readonly #entries = new Map<string, LiveEntry>();

  constructor(options: LiveRunsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(runId: string): boolean {
    return this.#entries.has(runId);
  }

  start(run: StartedRun): void {
    const { ports, places, leaseMs, onStarted, onEnded } = this.#options;
    const { place = places.take({ frameworks: [], userId: null }), ...started } = run;
    const lease = { heldUntilMs: started.leasedAtMs + leaseMs };
    // This node lost the run and has taken it over again.
    this.#entries.get(started.runId)?.controller.abort(new RunStop("lost"));
    const held: HeldRun = {
      ...started,
      controller: new AbortController(),
      turnControllers: new Map(),
      isHeld: () => this.#nowMs() < lease.heldUntilMs,
    };
    const done = executeRun(ports, held).then((hasNext) => {
      const wasFull = place.release();
      if (this.#entries.get(started.runId)?.fence === started.fence) this.#entries.delete(started.runId);
      onEnded(hasNext || wasFull);
    });
    this.#entries.set(started.runId, { ...held, lease, done });
    onStarted();
  }

  /** Renews the leases of all runs and applies cancellations, lost leases, and removed agents and starters. */
  async watch(): Promise<void> {
    const sentAtMs = this.#nowMs();
    // After a pause of the process, other nodes may have taken over before this one can ask.
    for (const { lease, controller } of this.#entries.values())
      if (sentAtMs >= lease.heldUntilMs) controller.abort(new RunStop("lost"));
    const entries = [...this.#entries.values()];
    if (entries.length === 0) return;
    try {
      const renewed = new Map((await this.#renew(entries)).map((row) => [row.run_id, row]));
      for (const entry of entries) {
        const row = renewed.get(entry.runId);
        if (row !== undefined) this.#apply(entry, row, sentAtMs);
      }
    } finally {
      const minHeldMs = this.#options.leaseMs * MIN_HELD_SHARE;
      for (const { lease, controller } of this.#entries.values())
        if (this.#nowMs() > lease.heldUntilMs - minHeldMs) controller.abort(new RunStop("lost"));
    }
  }

  /** Waits for all runs, then hands those that are left over to other nodes. */
  async drain(): Promise<void> {
    const waited = new AbortController();
    const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: waited.signal }).catch(() => {});
    const allDone = Promise.all([...this.#entries.values()].map(({ done }) => done));
    await Promise.race([allDone, wait(this.#options.stopTimeoutMs)]);
    const left = [...this.#entries.values()];
    if (left.length > 0) await Promise.race([this.#handOver(left), wait(HAND_OVER_MS)]);
    waited.abort();
  }

  /** Stops the runs first, so that nothing is shown or called twice. Leases that cannot be released expire. */
  async #handOver(left: readonly LiveEntry[]): Promise<void> {
    const { pool, observer } = this.#options.ports;
    const untilMs = this.#nowMs() + HAND_OVER_MS;
    for (const { runId, lease, controller } of left) {
      this.#entries.delete(runId);
      lease.heldUntilMs = 0;
      controller.abort(new RunStop("lost"));
    }
    try {
      const count = await retryWhileHeld(
        () => releaseRuns(pool, left),
        () => this.#nowMs() < untilMs,
      );
      observer.note("agents.runs_released", { count });
    } catch (error) {
      observer.note("agents.step_failed", { error });
    }
    await Promise.all(left.map(({ done }) => done));
  }

  /** Not the clock of the day, which can be set. */
  #nowMs(): number {
    return performance.now();
  }

  async #renew(entries: readonly LiveEntry[]): Promise<readonly RenewedRun[]> {
    const { ports, leaseMs } = this.#options;
    const timeout = AbortSignal.timeout(WATCH_TIMEOUT_MS);
    const late = new Promise<never>((_, reject) => {
      timeout.addEventListener("abort", () => reject(new Error("the leases were not renewed in time")), { once: true });
    });
    return await Promise.race([renewRunLeases(ports.pool, entries, leaseMs), late]);
  }

  #apply(run: LiveEntry, row: RenewedRun, sentAtMs: number): void {
    // A run that has ended in the meantime is not lost: it is no longer in the map.
    if (this.#entries.get(run.runId) !== run) return;
    if (row.is_lost) return run.controller.abort(new RunStop("lost"));
    run.lease.heldUntilMs = sentAtMs + (row.held_ms ?? 0);
    if (row.cancel_reason !== null)
      run.controller.abort(new RunStop(row.cancel_reason === "interrupted" ? "interrupted" : "cancelled"));
    else if (row.swarm_status !== "active") run.controller.abort(new RunStop("gone"));
    else if (!row.may_go_on) run.controller.abort(new RunStop("removed"));
    else for (const id of row.gone_turn_ids) run.turnControllers.get(id)?.abort(new RunStop("gone"));
  }
}
