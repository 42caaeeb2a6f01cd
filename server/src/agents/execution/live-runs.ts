import { setTimeout as sleep } from "node:timers/promises";
import { executeRun, type RunControl } from "./execute-run.ts";
import type { StartedRun } from "./executor.ts";
import type { WorkPorts } from "./live-run.ts";
import type { RunPlaces } from "./run-places.ts";
import { RunStop } from "./run-stop.ts";
import { type RenewedRun, renewLeases } from "./sql/manage-runs.ts";

/** A run is aborted when its lease was not renewed for this share of its duration, before other nodes may end the run. */
const RENEWAL_DEADLINE_SHARE = 0.6;
const WATCH_TIMEOUT_MS = 3_000;
/** For the last writes of runs that are aborted when the node stops. */
const LAST_WRITES_MS = 2_000;

export interface LiveRunsOptions {
  readonly ports: WorkPorts;
  readonly places: RunPlaces;
  readonly leaseMs: number;
  /** How long live runs may take to finish when the node stops. */
  readonly stopTimeoutMs: number;
  /** Called when the number of live runs grows. */
  onStarted(): void;
  /** Called when a run has ended. `mayWait`: another run may be queued behind it. */
  onEnded(mayWait: boolean): void;
}

interface LiveEntry extends RunControl, Omit<StartedRun, "place"> {
  /** When the last successful renewal was sent. */
  readonly lease: { renewedAtMs: number };
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
    const lease = { renewedAtMs: this.#nowMs() };
    const control: RunControl = {
      controller: new AbortController(),
      turnControllers: new Map(),
      isHeld: () => this.#nowMs() < lease.renewedAtMs + leaseMs,
    };
    const done = executeRun(ports, started, control).then((hasNext) => {
      const wasFull = place.release();
      this.#entries.delete(started.runId);
      onEnded(hasNext || wasFull);
    });
    this.#entries.set(started.runId, { ...control, ...started, lease, done });
    onStarted();
  }

  /** Renews the leases of all runs and applies cancellations, lost leases, and removed agents and starters. */
  async watch(): Promise<void> {
    const entries = [...this.#entries.values()];
    if (entries.length === 0) return;
    const sentAtMs = this.#nowMs();
    try {
      const renewed = await this.#renew(entries);
      for (const { lease } of entries) lease.renewedAtMs = sentAtMs;
      // A run that has ended in the meantime is not lost: it is no longer in the map.
      for (const row of renewed) this.#apply(row);
    } finally {
      const expiredBeforeMs = this.#nowMs() - this.#options.leaseMs * RENEWAL_DEADLINE_SHARE;
      for (const { lease, controller } of this.#entries.values())
        if (lease.renewedAtMs < expiredBeforeMs) controller.abort(new RunStop("lost"));
    }
  }

  /** Waits for all runs, then aborts those that are left. */
  async drain(): Promise<void> {
    const allDone = (): Promise<unknown> => Promise.all([...this.#entries.values()].map(({ done }) => done));
    const waited = new AbortController();
    const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([allDone(), wait(this.#options.stopTimeoutMs)]);
    for (const { controller } of this.#entries.values()) controller.abort(new RunStop("draining"));
    await Promise.race([allDone(), wait(LAST_WRITES_MS)]);
    waited.abort();
  }

  #nowMs(): number {
    return this.#options.ports.clock.now().getTime();
  }

  async #renew(entries: readonly LiveEntry[]): Promise<readonly RenewedRun[]> {
    const { ports, leaseMs } = this.#options;
    const timeout = AbortSignal.timeout(WATCH_TIMEOUT_MS);
    const late = new Promise<never>((_, reject) => {
      timeout.addEventListener("abort", () => reject(new Error("the leases were not renewed in time")), { once: true });
    });
    return await Promise.race([renewLeases(ports.pool, entries, leaseMs), late]);
  }

  #apply(row: RenewedRun): void {
    const run = this.#entries.get(row.run_id);
    if (run === undefined) return;
    if (row.is_lost) run.controller.abort(new RunStop("lost"));
    else if (row.cancel_reason !== null)
      run.controller.abort(new RunStop(row.cancel_reason === "interrupted" ? "interrupted" : "cancelled"));
    else if (row.swarm_status !== "active") run.controller.abort(new RunStop("gone"));
    else if (!row.may_go_on) run.controller.abort(new RunStop("removed"));
    else for (const id of row.gone_turn_ids) run.turnControllers.get(id)?.abort(new RunStop("gone"));
  }
}
