import type pg from "pg";
import type { Models } from "../providers/model-port.ts";
import type { Executor } from "../execution/executor.ts";
import type { Admissions } from "./admissions.ts";
import type { Subscribers } from "../streams/subscribers.ts";

/** What starting a run depends on. */
export interface RespondPorts {
  readonly pool: pg.Pool;
  readonly executor: Executor;
  readonly subscribers: Subscribers;
  readonly admissions: Admissions;
  readonly models: Pick<Models, "describe">;
  newId(): string;
  /** Something was stored that may have raised events. */
  onEvents(): void;
}
