import { ERROR_CODES, type ErrorCode, RATE_LIMIT_HEADERS } from "@swarmbase/sdk";
import type { AuthErrorCode, InterfaceDescription } from "swarmbase/extension";
import { type NamedError, refer } from "../operations/operation-text.ts";
import type { Header, Reference, Response, Schema } from "./document.ts";

type Code = ErrorCode | AuthErrorCode;

/** The properties of an operation that decide which errors every such operation can have. */
interface OperationTraits {
  readonly isAuth: boolean;
  readonly isPublic: boolean;
  readonly isForService: boolean;
  readonly isLimited: boolean;
  readonly hasBody: boolean;
  readonly authErrors: InterfaceDescription["authErrors"];
}

export const LIMIT_HEADERS: Readonly<Record<string, Header>> = Object.fromEntries(
  Object.values(RATE_LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

export const HEADERS: Readonly<Record<string, Header>> = {
  [RATE_LIMIT_HEADERS.limit]: {
    description: "Calls that the window allows, for the limit with the fewest remaining calls",
    schema: { type: "integer" },
  },
  [RATE_LIMIT_HEADERS.remaining]: { description: "Remaining calls in the window", schema: { type: "integer" } },
  [RATE_LIMIT_HEADERS.reset]: { description: "Unix seconds at which the window ends", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 1 } },
  "X-Request-Id": {
    description:
      "The id of the request, if it has one that is safe to log; otherwise a new id. The log has a line with it",
    schema: { type: "string" },
  },
};

/** Codes whose errors have additional members. */
const FORMS: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: "ValidationError",
  DELIVERY_FAILED: "DeliveryFailedError",
  PROVIDER_ERROR: "RunFailedError",
  PROVIDER_TIMEOUT: "RunFailedError",
  PROVIDER_NOT_CONFIGURED: "RunFailedError",
  INVALID_MODEL: "RunFailedError",
  BUDGET_EXCEEDED: "RunFailedError",
};

/** Of users who require HTTP message signatures. */
const MESSAGE_SIGNATURE_CODES = Object.keys(ERROR_CODES).filter((code) => code.startsWith("MESSAGE_SIGNATURE_"));

/** The status of requests that are rejected before their path is known. */
const UNROUTED = 431;

/** Errors that all operations share, by the name of the component. */
export const SHARED_RESPONSES: Readonly<Record<string, Response>> = {
  Unauthorized: describeStatus(401, ["UNAUTHORIZED", ...MESSAGE_SIGNATURE_CODES]),
  Forbidden: describeStatus(403, ["FORBIDDEN"]),
  PayloadTooLarge: describeStatus(413, ["PAYLOAD_TOO_LARGE"]),
  UnsupportedMediaType: describeStatus(415, ["UNSUPPORTED_MEDIA_TYPE"]),
  RateLimited: describeStatus(429, ["RATE_LIMITED"]),
  HeadersTooLarge: describeStatus(431, ["HEADERS_TOO_LARGE"]),
  InternalError: describeStatus(500, ["INTERNAL_ERROR"]),
  ServiceUnavailable: describeStatus(503, ["SERVICE_UNAVAILABLE"]),
  ...prefixed(401, "Unauthorized", [
    "no_authorization",
    "bad_jwt",
    "session_not_found",
    "user_not_found",
    "unauthorized",
    ...MESSAGE_SIGNATURE_CODES.map((code) => code.toLowerCase()),
  ]),
  ...prefixed(403, "Forbidden", ["not_admin", "forbidden"]),
  ...prefixed(413, "PayloadTooLarge", ["request_entity_too_large"]),
  ...prefixed(415, "UnsupportedMediaType", ["unsupported_media_type"]),
  ...prefixed(429, "RateLimited", ["over_request_rate_limit"]),
  ...prefixed(500, "InternalError", ["unexpected_failure"]),
  ...prefixed(503, "ServiceUnavailable", ["unexpected_failure"]),
};

/** The error responses of an operation, by status. */
export function describeErrors(
  named: readonly NamedError[],
  traits: OperationTraits,
): Record<string, Response | Reference> {
  const byStatus = new Map<number, Set<string>>();
  const add = (status: number, code: string): void => {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  };
  for (const error of named) {
    const [code, status] = typeof error === "string" ? [error, statusOf(error, traits)] : error;
    add(status, code);
  }
  const { isAuth, hasBody } = traits;
  if (isAuth && hasBody) add(400, "bad_json");
  for (const [status, name] of sharedOf(traits)) {
    const shared = SHARED_RESPONSES[isAuth ? `Auth${name}` : name]?.["x-error-codes"] ?? [];
    if (byStatus.has(status)) for (const code of shared) add(status, code);
  }
  const own = [...byStatus].map(([status, codes]): [string, Response] => [
    String(status),
    describeStatus(status, [...codes].toSorted(), isAuth),
  ]);
  const rest = sharedOf(traits)
    .filter(([status]) => !byStatus.has(status))
    .map(([status, name]): [string, Reference] => [
      String(status),
      { $ref: `#/components/responses/${isAuth && status !== UNROUTED ? "Auth" : ""}${name}` },
    ]);
  const all: readonly [string, Response | Reference][] = [...own, ...rest];
  return Object.fromEntries(all.toSorted(([one], [other]) => Number(one) - Number(other)));
}

function sharedOf({
  isPublic,
  isForService,
  isLimited,
  hasBody,
}: OperationTraits): readonly (readonly [number, string])[] {
  return [
    ...(isPublic ? [] : ([[401, "Unauthorized"]] as const)),
    ...(isForService ? ([[403, "Forbidden"]] as const) : []),
    ...(hasBody
      ? ([
          [413, "PayloadTooLarge"],
          [415, "UnsupportedMediaType"],
        ] as const)
      : []),
    ...(isLimited ? ([[429, "RateLimited"]] as const) : []),
    [UNROUTED, "HeadersTooLarge"],
    [500, "InternalError"],
    [503, "ServiceUnavailable"],
  ];
}

function statusOf(code: Code, { authErrors }: OperationTraits): number {
  return code in ERROR_CODES ? ERROR_CODES[code as ErrorCode].status : authErrors[code as AuthErrorCode].status;
}

function describeStatus(status: number, codes: readonly string[], isAuth = false): Response {
  const isLimit = status === 429;
  const waits = isLimit || status === 503;
  const forms = formsOf(status, codes, isAuth);
  const [only] = forms;
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
      ...(isLimit && LIMIT_HEADERS),
      ...(waits && { "Retry-After": { $ref: "#/components/headers/Retry-After" } }),
    },
    content: {
      "application/json": { schema: forms.length === 1 && only !== undefined ? only : { anyOf: forms } },
    },
    "x-error-codes": codes,
  };
}

function formsOf(status: number, codes: readonly string[], isAuth: boolean): readonly Schema[] {
  if (status === 429) return [refer("RateLimitedError")];
  if (isAuth) return status === 400 ? [refer("AuthError"), refer("ValidationError")] : [refer("AuthError")];
  const names = codes.map((code) => FORMS[code] ?? "Error");
  return [...new Set(names)].map(refer);
}

function prefixed(status: number, name: string, codes: readonly string[]): Record<string, Response> {
  return { [`Auth${name}`]: describeStatus(status, codes, true) };
}
