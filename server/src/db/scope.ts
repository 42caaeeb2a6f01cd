import pg from "pg";
import { perObject } from "./per-object.ts";
import type { Claims, Principal, PrincipalSession } from "./principal.ts";

/** The principal of a transaction, and what functions and views may read of the request. */
export interface Scope {
  readonly role: Principal["role"];
  readonly claims: Claims;
  readonly schemas: readonly string[];
  readonly statementTimeoutMs: number;
  readonly isReadOnly: boolean;
  /** The session that must be active for the transaction to begin. Every request with the token of a user has one. */
  readonly session?: PrincipalSession | null;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export interface ScopeStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

// Every setting is set every time: a connection is shared, and a principal must not inherit a setting of another one.
const SETTINGS = [
  "role",
  "request.jwt.claims",
  "request.jwt.claim.sub",
  "search_path",
  "statement_timeout",
  "transaction_read_only",
  "request.method",
  "request.path",
  "request.headers",
];

// Returns no rows: they would only repeat what was sent. No `set_config` returns null, so all of them are evaluated.
const TEXT = `select where ${SETTINGS.map((name, index) => `pg_catalog.set_config('${name}', $${index + 1}, true) is null`).join("\n  or ")}`;
const [USER, SESSION, INACTIVITY] = [1, 2, 3].map((place) => `$${SETTINGS.length + place}`);
const UNLESS_LIVE = `or case when ${INACTIVITY}::int = 0 and private.is_session_live(${USER}::uuid, ${SESSION}::uuid) then false else`;
const REQUIRE_LIVE = `private.require_live_session(${USER}::uuid, ${SESSION}::uuid, ${INACTIVITY}::int) is null`;
const REQUIRE_SECOND_FACTOR = `private.require_second_factor(${USER}::uuid, ${SESSION}::uuid) is null`;
const REQUIRE_SIGNATURE = `private.reject_unsigned_request(${USER}::uuid) is null`;
const REQUIRE_MESSAGE_SIGNATURE = `private.require_message_signature(${USER}::uuid) is null`;

/** One text for each combination of the three checks that depend on the request. */
const SESSION_TEXTS = Array.from({ length: 8 }, (_, flags) => {
  const checks = [REQUIRE_SECOND_FACTOR, REQUIRE_SIGNATURE, REQUIRE_MESSAGE_SIGNATURE];
  // The fast path accepts no session whose user requires signatures, and none that lacks the second factor of its user,
  // so that only these are checked twice.
  const required = [REQUIRE_LIVE, ...checks.filter((_check, bit) => (flags & (1 << bit)) !== 0)];
  return `${TEXT}\n  ${UNLESS_LIVE} ${required.join(" or ")} end`;
});

function chooseText({ isAal2Required, isUnsigned, lacksMessageSignature }: PrincipalSession): string {
  const flags =
    Number(isAal2Required ?? 0) | (Number(isUnsigned ?? 0) << 1) | (Number(lacksMessageSignature ?? 0) << 2);
  return SESSION_TEXTS[flags] ?? "";
}

/** The scope of a transaction that acts for a principal. */
export function scopeOf(
  { role, claims, session }: Principal,
  transaction: Omit<Scope, "role" | "claims" | "session">,
): Scope {
  return { role, claims, session, ...transaction };
}

/** The claims of a cached token are the same object each time, and long compared with everything else. */
const renderJson = perObject((value: object) => JSON.stringify(value));
/** Nearly every scope has the same list, that of the settings. */
const renderPath = perObject((schemas: readonly string[]) => schemas.map(pg.escapeIdentifier).join(", "));

/**
 * The statement that enters a transaction as a principal, until the transaction ends. It fails with SB001 when the session has
 * ended, SB002 when the user does not exist, SB003 when the user is banned, SB004 when a signature of the body is required,
 * SB005 when a second factor is required, and SB006 when a message signature is.
 */
export function buildScope(scope: Scope): ScopeStatement {
  const { claims, request, session } = scope;
  const { sub } = claims;
  const values = [
    scope.role,
    renderJson(claims),
    typeof sub === "string" ? sub : "",
    renderPath(scope.schemas),
    String(scope.statementTimeoutMs),
    scope.isReadOnly ? "on" : "off",
    request.method,
    request.path,
    renderJson(request.headers),
  ];
  if (session === undefined || session === null) return { text: TEXT, values };
  const { userId, sessionId, inactivitySeconds } = session;
  return { text: chooseText(session), values: [...values, userId, sessionId, String(inactivitySeconds)] };
}
