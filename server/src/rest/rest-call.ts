import type { Principal } from "../db/index.ts";
import type { RequestInput } from "./parse/parse-request.ts";

export interface RestCall {
  readonly input: RequestInput;
  /** As the caller wrote it, the prefix included; functions and views may look at it. */
  readonly path: string;
  readonly caller: Principal;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface RestAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
}
