import type { LimitName } from "@swarmbase/sdk";
import type { Settings } from "../config/index.ts";

export type LimitSettings = Pick<Settings, "limitApi" | "limitAuth" | "limitAi" | "limitTools" | "limitWebhooks">;

interface Window {
  /** The row of the interface that it belongs to. */
  readonly row: LimitName;
  readonly setting: keyof LimitSettings;
  /** How many times the row's number. */
  readonly times: number;
  /** `node`: by each node alone. `store`: in the shared store where there is one. `database`: with the sends of dispatchers. */
  readonly countedIn: "node" | "store" | "database";
}

/** Counts of their own. Rows of the interface, and what is counted beside them. */
export const WINDOWS = {
  api: { row: "api", setting: "limitApi", times: 1, countedIn: "store" },
  auth: { row: "auth", setting: "limitAuth", times: 1, countedIn: "store" },
  /** Attempts that name an e-mail address, from wherever. Many share one of ours; few can share theirs. */
  authEmail: { row: "auth", setting: "limitAuth", times: 10, countedIn: "store" },
  /** Refresh tokens that were refused, by address: whoever invents session ids would never run out of them. */
  refusedRefresh: { row: "api", setting: "limitApi", times: 1, countedIn: "node" },
  ai: { row: "ai", setting: "limitAi", times: 1, countedIn: "store" },
  tool: { row: "tool", setting: "limitTools", times: 1, countedIn: "store" },
  webhook: { row: "webhook", setting: "limitWebhooks", times: 1, countedIn: "database" },
} as const satisfies Record<string, Window>;

export type WindowName = keyof typeof WINDOWS;
