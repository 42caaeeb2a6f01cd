import type { Scope } from "../db/index.ts";
import type { RequestInput } from "./parse/parse-request.ts";
import type { RuleCaller } from "./table-rules.ts";

/** Who asks, as the gate found: what the database is told, and whose session must live. */
export interface RestCaller extends RuleCaller {
  readonly claims: Scope["claims"];
  /** Null for those who have none: the keys. */
  readonly session: NonNullable<Scope["session"]> | null;
}

export interface RestCall {
  readonly input: RequestInput;
  /** As the caller wrote it, the prefix included; functions and views may look at it. */
  readonly path: string;
  readonly caller: RestCaller;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface RestAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
}
