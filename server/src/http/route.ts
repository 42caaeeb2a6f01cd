import type { LimitName } from "@swarmbase/sdk";
import type { AccessRule } from "../auth/index.ts";
import type { ErrorForm, RouteRequest } from "./route-request.ts";
import type { RouteReply } from "./route-reply.ts";

/** One row of the route table, the only place that defines access and rate limit. */
export interface Route {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** A segment can be `:name`; the last segment can be `*`. */
  path: string;
  /**
   * `bearer`: a key and a token of any role. `bearer-alone`: a token or API key of a user, without the header `apikey`.
   * `optional-bearer`: the same, or no bearer at all.
   * `account`: a user with a live session, or the service role.
   */
  access: AccessRule["access"];
  /** The scope that an API key of a user needs. Absent means that API keys are rejected. */
  keyScope?: AccessRule["keyScope"];
  /** The path of the resource that a token of a program must be for, such as `/mcp`. Absent means the API. */
  resource?: string;
  /** Whether the portal may call the route. Absent means that it is rejected. */
  isOfPortal?: boolean;
  /** With access "user": the authentication of a request has the user. */
  needsUser?: boolean;
  /** Rows other than "api" and "auth" are counted in addition to "api". */
  limit: null | LimitName;
  /** Set where the request decides the limit. "refresh" is counted as "api", by the session in the body. */
  limitOf?(request: RouteRequest): LimitName | "refresh";
  /** Returns the rate-limit subjects that a body names, or null. */
  subjects?: {
    email(body: unknown): string | null;
    session(body: unknown): string | null;
    /** Whether a call that is counted as "api" is also an auth attempt of its address. */
    isAttempt?(body: unknown): boolean;
  };
  /** The call creates the user's first signing secret, so it cannot be signed yet. */
  isForFirstSecret?: boolean;
  /** With access "apikey": the bearer is ignored, so an invalid one does no harm. */
  isBearerIgnored?: boolean;
  /** With access "user" or "account": whether users with a second factor may call it before they have verified it. */
  aal1?: AccessRule["aal1"];
  /** With access "bearer-alone", "user" or "account": the user must have proved recently to be the owner of the account. */
  needsProof?: boolean;
  /** A GET with side effects: HEAD requests are rejected with 405. */
  isHeadRejected?: boolean;
  /** A GET that browsers open: the path has no headers of CORS, so that no script of another origin calls it (RFC 9700, section 2.6). */
  isPage?: boolean;
  /** The handler gets the bytes of the body, whatever their type. */
  isBodyRaw?: boolean;
  /** With `isBodyRaw`: also bytes without a type, with a type that is not valid, or with a Content-Encoding. */
  acceptsAnyBody?: boolean;
  /** Renders errors of the route in the form of another protocol, those before the handler included. */
  renderError?: ErrorForm;
  /** The return value, or the promise of it, is sent. */
  handler(request: RouteRequest, reply: RouteReply): unknown;
}
