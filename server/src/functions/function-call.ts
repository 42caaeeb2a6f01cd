import type { LimitName } from "@swarmbase/sdk";
import type { z } from "zod";
import type { Principal } from "../db/index.ts";
import type { WindowName } from "../limits/index.ts";

export interface FunctionCall {
  /** The parsed JSON body, or the bytes of it where the function reads them itself; `{}` when there was none. */
  readonly body: unknown;
  /** Names in lower case; of several values the first. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly caller: Principal;
  /** Aborted when the connection is gone, answered or not. */
  readonly signal: AbortSignal;
  /** Counts one more for a window than the route does; throws when the key has nothing left. */
  count(window: WindowName, key: string): Promise<void>;
  /** Has the answer say what is left by now, where that has changed since the call was counted. */
  showRateLimitState(): Promise<void>;
}

/** A call as the functions themselves see it. */
export interface WarnableCall extends FunctionCall {
  /** Adds a sentence to the `warnings` of the answer. */
  warn(message: string): void;
}

export type FunctionAnswer = WholeAnswer | StreamedAnswer;

export interface WholeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is sent piece by piece, as the pieces come. Its headers say of what type it is. */
export interface StreamedAnswer {
  readonly status: number;
  readonly stream: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
}

/** What can be said of a name under `/functions/v1/` without running it. */
export interface FunctionDescription {
  readonly name: string;
  /** `bearer`: a token of any role, which the database judges. `account`: a user whose session lives, or the service role. */
  readonly access: "bearer" | "account";
  readonly limit: LimitName;
  /** Makes a user's first signing secret, so that it cannot have been signed with one. */
  readonly isForFirstSecret?: boolean;
  /** The function reads its body itself, from the bytes that came. */
  readonly isBodyRaw?: boolean;
  /** What it reads of the body. */
  readonly body: z.ZodType;
}

/** One name under `/functions/v1/`. */
export interface NamedFunction extends FunctionDescription {
  run(call: FunctionCall): Promise<FunctionAnswer>;
}
