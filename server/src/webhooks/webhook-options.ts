import type pg from "pg";
import type { Observer } from "../observe/index.ts";
import type { Outbound } from "../outbound/index.ts";
import type { Clock } from "../time/index.ts";
import type { Schedule } from "./schedule.ts";
import type { DisableRule } from "./sql/record-outcomes.ts";

/** What every part of the room works with. */
export interface WebhookTools {
  readonly pool: pg.Pool;
  readonly outbound: Outbound;
  readonly observer: Observer;
  readonly clock: Clock;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly disableRule: DisableRule;
  /** Sends a minute for each user; 0 is no limit. */
  readonly sendLimit: number;
}
