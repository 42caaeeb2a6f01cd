import type { Principal } from "../db/index.ts";
import type { AppError } from "../errors/index.ts";
import type { RequestInput } from "./parse/parse-request.ts";

export interface RestCall {
  readonly input: RequestInput;
  /** As sent, including the prefix; functions and views can read it. */
  readonly path: string;
  readonly principal: Principal;
  /** Aborts when the client disconnects: a read is cancelled, a write runs to its end. */
  readonly signal?: AbortSignal | undefined;
  /** Rolled back: only tells whether the request would succeed. */
  readonly isTrial?: boolean;
  /** Whatever the request is: PostgreSQL rejects the writes of a function. */
  readonly isReadOnly?: boolean;
}

export interface RestAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
  /** The body is JSON, whatever the headers declare. */
  readonly isJson?: boolean;
  /** Called when the body is no longer held. */
  readonly onSent?: (() => void) | undefined;
}

/** The response to a batch: one answer for each request, in order. */
export interface BatchAnswer {
  readonly answers: readonly (RestAnswer | AppError)[];
  /** Called when the bodies are no longer held. */
  readonly onSent?: (() => void) | undefined;
}
