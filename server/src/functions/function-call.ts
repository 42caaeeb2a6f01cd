import type { LimitName } from "@swarmbase/sdk";
import type { z } from "zod";
import type { KeyScope, Principal } from "../db/index.ts";
import type { WindowName } from "../limits/index.ts";

export interface FunctionCall {
  /** The parsed JSON body, or its bytes where the function parses them; `{}` when there is none. */
  readonly body: unknown;
  /** Lower-case names; the first of several values. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly principal: Principal;
  /** The address of the client. */
  readonly address: string;
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
  /** Counts another rate limit than that of the route; throws when it is exceeded. */
  count(window: WindowName, key: string): Promise<void>;
  /** Updates the rate-limit headers of the response. */
  showRateLimitState(): Promise<void>;
}

export interface WarnableCall extends FunctionCall {
  /** Adds a sentence to the `warnings` of the response. */
  warn(message: string): void;
}

export type FunctionResponse = WholeResponse | StreamedResponse;

interface WholeResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the body is no longer held. */
  readonly onSent?: (() => void) | undefined;
}

/** A response that is sent in chunks. Its headers set the content type. */
interface StreamedResponse {
  readonly status: number;
  readonly stream: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The static description of a function. */
export interface FunctionDescription {
  readonly name: string;
  /** `bearer`: a token of any role, which the database checks. `account`: a user with a live session, or the service role. */
  readonly access: "bearer" | "account";
  /** What an API key of a user needs. Absent means that API keys are rejected. */
  readonly keyScope?: KeyScope;
  /** Whether the portal may call the function. Absent means that it is rejected. */
  readonly isOfPortal?: boolean;
  readonly limit: LimitName;
  /** With access `account`: a user must have proved recently to be the owner of the account. */
  readonly needsProof?: boolean;
  /** The call creates the user's first signing secret, so it cannot be signed yet. */
  readonly isForFirstSecret?: boolean;
  /** The function parses the bytes of the body itself. */
  readonly isBodyRaw?: boolean;
  /** The schema of the body. */
  readonly body: z.ZodType;
}

/** One function under `/functions/v1/`. */
export interface NamedFunction extends FunctionDescription {
  run(call: FunctionCall): Promise<FunctionResponse>;
}
