import { hash } from "node:crypto";
import { type AppError, toAppError } from "../../errors/index.ts";
import { type Limits, rateLimitedError, type RateLimitState, userKey, type WindowName } from "../../limits/index.ts";
import { authenticationOf } from "./authentication.ts";
import { addressKeyOf } from "./client-key.ts";
import type { Route } from "../route.ts";
import type { RouteReply } from "../route-reply.ts";
import type { RouteRequest } from "../route-request.ts";

/** The rate-limit stages of a route. */
interface RateLimitStages {
  /** After authentication, before the body is read. */
  countAuthenticated(request: RouteRequest, reply: RouteReply): Promise<void>;
  /** After authentication failed. Returns the error to respond with. */
  countRejected(request: RouteRequest, reply: RouteReply, error: unknown): Promise<unknown>;
  /** After the body was read. Null where the body does not name a subject to count. */
  readonly countSubjects: ((request: RouteRequest, reply: RouteReply) => Promise<void>) | null;
  /** After a later stage failed. Null where the status does not matter. */
  readonly countFailed: ((request: RouteRequest, reply: RouteReply, status: number) => Promise<void>) | null;
}

type CountedRoute = Pick<Route, "limit" | "limitOf" | "subjects">;

/** Null for routes without a limit. */
export function buildRateLimitStages(
  limits: Limits,
  { limit, limitOf, subjects }: CountedRoute,
): RateLimitStages | null {
  if (limit === null) return null;
  const rowOf = limitOf ?? (() => limit);
  const isService = (request: RouteRequest): boolean => request.authentication?.principal.role === "service_role";

  return {
    async countAuthenticated(request, reply) {
      if (isService(request)) return;
      const row = rowOf(request);
      if (row === "refresh") {
        const address = addressKeyOf(request);
        if (await limits.isExhausted("refusedRefresh", address))
          await countCall(limits, request, reply, "refusedRefresh", address);
        return;
      }
      if (row === "auth") return countCall(limits, request, reply, "auth", addressKeyOf(request));
      const { principal } = authenticationOf(request);
      const key = principal.role === "authenticated" ? userKey(principal.userId) : addressKeyOf(request);
      await countCall(limits, request, reply, "api", key);
      if (row !== "api") await countCall(limits, request, reply, row, key);
    },
    async countRejected(request, reply, error) {
      const { status } = toAppError(error);
      if (status !== 401 && status !== 403) return error;
      try {
        await countCall(limits, request, reply, rowOf(request) === "auth" ? "auth" : "api", addressKeyOf(request));
        return error;
      } catch (limitError) {
        return limitError;
      }
    },
    countSubjects:
      subjects === undefined
        ? null
        : async (request, reply) => {
            if (isService(request)) return;
            const row = rowOf(request);
            if (row === "refresh") {
              const session = subjects.session(request.body);
              const key = session === null ? addressKeyOf(request) : `session:${session}`;
              await countCall(limits, request, reply, "api", key);
            } else if (row === "auth") {
              const email = subjects.email(request.body);
              if (email !== null) await countCall(limits, request, reply, "authEmail", hashOf(email));
            } else if (subjects.isAttempt?.(request.body) === true) {
              await countCall(limits, request, reply, "auth", addressKeyOf(request));
            }
          },
    countFailed:
      subjects === undefined
        ? null
        : async (request, reply, status) => {
            const isRejected = status >= 400 && status < 500 && status !== 429;
            if (!isRejected || isService(request) || rowOf(request) !== "refresh") return;
            const rateLimitState = await limits.take("refusedRefresh", addressKeyOf(request));
            if (rateLimitState !== null) showRateLimitState(request, reply, rateLimitState);
          },
  };
}

/** Counts a call that its handler rejects. Throws once its address or the subject was rejected as often as the limit says. */
export async function countRejectedCall(
  limits: Limits,
  request: RouteRequest,
  reply: RouteReply,
  subject: string,
): Promise<void> {
  await countCall(limits, request, reply, "refusedCall", addressKeyOf(request));
  await countCall(limits, request, reply, "refusedCall", `subject:${subject}`);
}

/** Counts a request for an unknown path under a counted prefix. The caller is not authenticated. */
export async function countUnknownPath(limits: Limits, request: RouteRequest, reply: RouteReply): Promise<void> {
  if (COUNTED_PATHS.test(request.url)) await countCall(limits, request, reply, "api", addressKeyOf(request));
}

const COUNTED_PATHS = /^\/(?:rest\/v1|functions\/v1|auth\/v1|realtime\/v1\/api)(?:[/?]|$)/;

export function renderRateLimitState({ limit, remaining, resetAt }: RateLimitState): Record<string, string> {
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil(resetAt.getTime() / 1000)),
  };
}

/** Counts one call and sets the rate-limit headers; throws when the limit is exceeded. */
export async function countCall(
  limits: Limits,
  request: RouteRequest,
  reply: RouteReply,
  window: WindowName,
  key: string,
): Promise<void> {
  const rateLimitState = await limits.take(window, key);
  if (rateLimitState === null) return;
  request.counted.push({ window, key });
  showRateLimitState(request, reply, rateLimitState);
  if (rateLimitState.isExceeded) throw rateLimitError(window, rateLimitState, request.url);
}

/** Updates the rate-limit headers with the current state: other calls can have been counted while this one waited. */
export async function refreshRateLimitHeaders(limits: Limits, request: RouteRequest, reply: RouteReply): Promise<void> {
  const rateLimitStates = await Promise.all(request.counted.map(({ window, key }) => limits.peek(window, key)));
  request.rateLimitState = null;
  for (const rateLimitState of rateLimitStates)
    if (rateLimitState !== null) showRateLimitState(request, reply, rateLimitState);
}

/** Shows the tightest limit, which is the one that a client must respect. */
function showRateLimitState(request: RouteRequest, reply: RouteReply, rateLimitState: RateLimitState): void {
  const shown = request.rateLimitState;
  const isLess = shown === null || rateLimitState.isExceeded || rateLimitState.remaining < shown.remaining;
  if (!isLess) return;
  request.rateLimitState = rateLimitState;
  reply.headers(renderRateLimitState(rateLimitState));
}

const AUTH_CODE = "over_request_rate_limit";

function rateLimitError(window: WindowName, rateLimitState: RateLimitState, url: string): AppError {
  if (!url.startsWith("/auth/v1/")) return rateLimitedError(window, rateLimitState);
  const { message } = rateLimitedError(window, rateLimitState);
  return rateLimitedError(window, rateLimitState, {
    upstreamCode: AUTH_CODE,
    headers: { "x-sb-error-code": AUTH_CODE },
    members: { error_code: AUTH_CODE, msg: message },
  });
}

/** Personal data must not be sent to a store that several nodes share. */
function hashOf(email: string): string {
  return hash("sha256", email, "base64url");
}
