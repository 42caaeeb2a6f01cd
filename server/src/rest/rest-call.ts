import type { Principal } from "../db/index.ts";
import type { RequestInput } from "./parse/parse-request.ts";

export interface RestCall {
  readonly input: RequestInput;
  /** As sent, including the prefix; functions and views can read it. */
  readonly path: string;
  readonly principal: Principal;
  /** Aborts when the client disconnects: a read is cancelled, a write runs to its end. */
  readonly signal?: AbortSignal | undefined;
}

export interface RestAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
}
