import type * as z from "zod";
import type { KeyScope, Principal } from "../db/index.ts";
import type { AppError } from "../errors/index.ts";
import type { AuthContext } from "./auth-context.ts";
import type { WholeUser } from "./sql/user-row.ts";

/** A request as endpoints see it. */
export interface AuthCall {
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The query as it was sent, for endpoints that reject a parameter that is given twice. */
  readonly search: string;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed JSON; `{}` when there was no body. */
  readonly body: unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly address: string;
  readonly userAgent: string | null;
  readonly principal: Principal;
  /** The user of the session, where the endpoint has `needsUser`. */
  readonly user?: WholeUser | undefined;
  /** The user has a second factor and the session has not passed it. */
  readonly lacksSecondFactor?: boolean | undefined;
}

export interface AuthResponse {
  readonly status: number;
  /** Sent as JSON; nothing is sent when it is absent. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How an error is sent in the form of another protocol. */
export type RenderAuthError = (
  error: AppError,
  request: { readonly headers: { readonly accept?: string | undefined } },
) => { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string };

/** One endpoint under `/auth/v1`. "user" requires a live session, "service" the service role. */
export interface AuthEndpoint {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** The path is complete: the endpoint is not under `/auth/v1`. */
  readonly isOutside?: boolean;
  readonly access: "public" | "apikey" | "user" | "service";
  /** Absent means that API keys are rejected, because the endpoint changes or shows credentials. */
  readonly keyScope?: KeyScope;
  /** With access "user": the call has the user, from the check of the session. */
  readonly needsUser?: boolean;
  /** With access "user": users with a second factor may call it before they have verified it. */
  readonly isAal1Accepted?: boolean;
  /** With access "user": the caller must have proved recently to be the owner of the account. */
  readonly needsProof?: boolean;
  readonly limit: null | "api" | "auth";
  /** Set where the query decides the rate limit. `refresh` is counted by session. */
  limitOf?(query: AuthCall["query"]): "api" | "auth" | "refresh";
  /** Set where a body can have a password: such a call also counts as an auth attempt of its address. */
  isAttempt?(body: unknown): boolean;
  /** Browsers open it, and no script of another origin may call it. */
  readonly isPage?: boolean;
  /** The schema of the body, for the API reference. */
  readonly body?: z.ZodType;
  /** Absent means that errors have the common form. */
  readonly renderError?: RenderAuthError;
  run(context: AuthContext, call: AuthCall): Promise<AuthResponse>;
}
