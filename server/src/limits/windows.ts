import type { LimitName } from "@swarmbase/sdk";
import type { Settings } from "../config/index.ts";

export type LimitSettings = Pick<Settings, "limitApi" | "limitAuth" | "limitAi" | "limitTools" | "limitWebhooks">;

interface Window {
  /** The limit row of the interface. */
  readonly row: LimitName;
  readonly setting: keyof LimitSettings;
  /** The multiple of the row's number. */
  readonly times: number;
  /** `node`: by each node alone. `store`: in the shared store, if any. `database`: together with dispatchers. */
  readonly countedIn: "node" | "store" | "database";
}

/** The limit rows of the interface, and further windows that are counted beside them. */
export const WINDOWS = {
  api: { row: "api", setting: "limitApi", times: 1, countedIn: "store" },
  auth: { row: "auth", setting: "limitAuth", times: 1, countedIn: "store" },
  /** Sign-in attempts by e-mail address, from any client address. Few users share an e-mail address. */
  authEmail: { row: "auth", setting: "limitAuth", times: 10, countedIn: "store" },
  /** Rejected refresh tokens by address: a client that invents session ids would never exceed a limit by session. */
  refusedRefresh: { row: "api", setting: "limitApi", times: 1, countedIn: "node" },
  /** Calls that routes of extensions have rejected, by address and by what was called. */
  refusedCall: { row: "api", setting: "limitApi", times: 1, countedIn: "node" },
  ai: { row: "ai", setting: "limitAi", times: 1, countedIn: "store" },
  tool: { row: "tool", setting: "limitTools", times: 1, countedIn: "store" },
  webhook: { row: "webhook", setting: "limitWebhooks", times: 1, countedIn: "database" },
} as const satisfies Record<string, Window>;

export type WindowName = keyof typeof WINDOWS;

export function entriesOf<Name extends string, Value>(table: Record<Name, Value>): [Name, Value][] {
  return Object.entries(table) as [Name, Value][];
}
