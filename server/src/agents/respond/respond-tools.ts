import type pg from "pg";
import type { Models } from "../providers/model-port.ts";
import type { Executor } from "../runs/executor.ts";
import type { Admissions } from "./admissions.ts";
import type { Subscribers } from "./subscribers.ts";

/** What the calls of the room work with. */
export interface RespondTools {
  readonly pool: pg.Pool;
  readonly executor: Executor;
  readonly following: Subscribers;
  readonly desk: Admissions;
  readonly models: Pick<Models, "describe">;
  /** Most runs that may wait in one swarm. */
  readonly queueLimit: number;
  readonly queueWaitMs: number;
  /** Something was stored that may have made an event. */
  onEvents(): void;
}
