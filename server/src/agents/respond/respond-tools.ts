import type pg from "pg";
import type { Models } from "../providers/model-port.ts";
import type { Executor } from "../runs/executor.ts";
import type { AdmissionDesk } from "./admission-desk.ts";
import type { Following } from "./following.ts";

/** What the calls of the room work with. */
export interface RespondTools {
  readonly pool: pg.Pool;
  readonly executor: Executor;
  readonly following: Following;
  readonly desk: AdmissionDesk;
  readonly models: Pick<Models, "describe">;
  /** Most runs that may wait in one swarm. */
  readonly queueLimit: number;
  readonly queueWaitMs: number;
  /** Something was stored that may have made an event. */
  onEvents(): void;
}
