import { setTimeout as sleep } from "node:timers/promises";
import { carryOutRun, type RunControl } from "./carry-out-run.ts";
import type { StartedRun } from "./executor.ts";
import type { WorkPorts } from "./live-run.ts";
import type { RunPlaces } from "./run-places.ts";
import { RunStop } from "./run-stop.ts";
import { type KeptRun, keepRuns } from "./sql/keep-runs.ts";

/** Without an answered renewal for this share of the lease, work stops before other nodes may end the run. */
const SURE_SHARE = 0.6;
const WATCH_TIMEOUT_MS = 3_000;
/** Runs that are aborted when the node stops still have to store that. */
const LAST_WRITES_MS = 2_000;

export interface LiveRunsOptions {
  readonly ports: WorkPorts;
  readonly places: RunPlaces;
  readonly leaseMs: number;
  /** How long live runs may take to finish when the node stops. */
  readonly stopTimeoutMs: number;
  /** The number of live runs has grown. */
  onStarted(): void;
  /** A run has ended. `mayWait`: another run may have waited for it. */
  onEnded(mayWait: boolean): void;
}

interface LiveEntry extends RunControl, Omit<StartedRun, "place"> {
  /** When the last renewal that was answered was sent. */
  readonly lease: { renewedAtMs: number };
  readonly done: Promise<void>;
}

/** The runs that this node carries out, and their leases. */
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
    const { place = places.take([]), ...started } = run;
    const lease = { renewedAtMs: this.#nowMs() };
    const control: RunControl = {
      controller: new AbortController(),
      turnControllers: new Map(),
      isHeld: () => this.#nowMs() < lease.renewedAtMs + leaseMs,
    };
    const done = carryOutRun(ports, started, control).then((hasNext) => {
      const wasFull = place.release();
      this.#entries.delete(started.runId);
      onEnded(hasNext || wasFull);
    });
    this.#entries.set(started.runId, { ...control, ...started, lease, done });
    onStarted();
  }

  /** Renews the leases of all runs and applies what has changed: cancelled, lost, without their agent or their starter. */
  async watch(): Promise<void> {
    const entries = [...this.#entries.values()];
    if (entries.length === 0) return;
    const sentAtMs = this.#nowMs();
    try {
      const kept = await this.#renew(entries);
      for (const { lease } of entries) lease.renewedAtMs = sentAtMs;
      // A run that has ended in the meantime is not lost: it is no longer in the map.
      for (const row of kept) this.#apply(row);
    } finally {
      const unsureBeforeMs = this.#nowMs() - this.#options.leaseMs * SURE_SHARE;
      for (const { lease, controller } of this.#entries.values())
        if (lease.renewedAtMs < unsureBeforeMs) controller.abort(new RunStop("lost"));
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

  async #renew(entries: readonly LiveEntry[]): Promise<readonly KeptRun[]> {
    const { ports, leaseMs } = this.#options;
    const timeout = AbortSignal.timeout(WATCH_TIMEOUT_MS);
    const late = new Promise<never>((_, reject) => {
      timeout.addEventListener("abort", () => reject(new Error("the leases were not renewed in time")), { once: true });
    });
    return await Promise.race([keepRuns(ports.pool, entries, leaseMs), late]);
  }

  #apply(kept: KeptRun): void {
    const run = this.#entries.get(kept.run_id);
    if (run === undefined) return;
    if (kept.is_lost) run.controller.abort(new RunStop("lost"));
    else if (kept.cancel_reason !== null)
      run.controller.abort(new RunStop(kept.cancel_reason === "interrupted" ? "interrupted" : "cancelled"));
    else if (kept.swarm_status !== "active") run.controller.abort(new RunStop("gone"));
    else if (!kept.may_go_on) run.controller.abort(new RunStop("removed"));
    else for (const id of kept.gone_turn_ids) run.turnControllers.get(id)?.abort(new RunStop("gone"));
  }
}
