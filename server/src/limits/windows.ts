import type { LimitName } from "@swarmbase/sdk";
import type { Settings } from "../config/index.ts";

export type LimitSettings = Pick<Settings, "limitApi" | "limitAuth" | "limitAi" | "limitTools" | "limitWebhooks">;

interface Window {
  /** The row of the interface that it belongs to. */
  readonly row: LimitName;
  readonly setting: keyof LimitSettings;
  /** How many times the row's number. */
  readonly times: number;
  /** Counted by each node for itself, also where there is a shared store. */
  readonly isLocal: boolean;
}

/** Counts of their own. Rows of the interface, and what is counted beside them. */
export const WINDOWS = {
  api: { row: "api", setting: "limitApi", times: 1, isLocal: false },
  auth: { row: "auth", setting: "limitAuth", times: 1, isLocal: false },
  /** Attempts that name an e-mail address, from wherever. Many share one of ours; few can share theirs. */
  authEmail: { row: "auth", setting: "limitAuth", times: 10, isLocal: false },
  /** Refresh tokens that were refused, by address: whoever invents session ids would never run out of them. */
  refusedRefresh: { row: "api", setting: "limitApi", times: 1, isLocal: true },
  ai: { row: "ai", setting: "limitAi", times: 1, isLocal: false },
  tool: { row: "tool", setting: "limitTools", times: 1, isLocal: false },
  webhook: { row: "webhook", setting: "limitWebhooks", times: 1, isLocal: false },
} as const satisfies Record<string, Window>;

export type WindowName = keyof typeof WINDOWS;
