import type { Outbound } from "@swarmbase/guarded-fetch";
import type pg from "pg";
import type { Commits } from "../jobs/index.ts";
import type { Observer, TraceSource } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import type { Schedule } from "./outcome.ts";
import type { DisableRule } from "./sql/record-outcomes.ts";

/** Dependencies and settings that all parts of this module share. */
export interface WebhookTools {
  readonly pool: pg.Pool;
  readonly outbound: Outbound;
  readonly commits?: Commits | undefined;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: () => number;
  /** Returns the id of a new claim. */
  readonly newClaim: () => string;
  readonly schedule: Schedule;
  readonly disableRule: DisableRule;
  /** Sends per user and minute; 0 is no limit. */
  readonly sendLimit: number;
  /** Called after feeds got events. */
  readonly onFeedEvents?: () => void;
  /** Null or absent: attempts have no spans. */
  readonly traceSource?: TraceSource | null;
}
