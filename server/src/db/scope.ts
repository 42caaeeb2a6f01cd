import type { Claims, Principal, PrincipalSession } from "./principal.ts";

/** Who a transaction acts for, and what functions and views may see of the request. */
export interface Scope {
  readonly role: Principal["role"];
  readonly claims: Claims;
  readonly schemas: readonly string[];
  readonly statementTimeoutMs: number;
  readonly isReadOnly: boolean;
  /** Whose session must be alive for the transaction to begin. Every request with a user's token has one. */
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

// Every setting is written every time: a connection is shared, and what one caller left out must not be what another left behind.
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

// Nothing comes back: an answer would only echo what was sent. No `set_config` gives null, so all of them are called.
const TEXT = `select where ${SETTINGS.map((name, at) => `pg_catalog.set_config('${name}', $${at + 1}, true) is null`).join("\n  or ")}`;
const [USER, SESSION, INACTIVITY] = [1, 2, 3].map((place) => `$${SETTINGS.length + place}`);
const REQUIRE = `private.require_live_session(${USER}::uuid, ${SESSION}::uuid, ${INACTIVITY}::int) is null`;
const UNLESS_LIVE = `or case when ${INACTIVITY}::int = 0 and private.is_session_live(${USER}::uuid, ${SESSION}::uuid) then false else`;
const LIVE_TEXT = `${TEXT}\n  ${UNLESS_LIVE} ${REQUIRE} end`;
// A session whose user demands signatures never passes by the short way, so that only theirs are asked twice.
const UNSIGNED_TEXT = `${TEXT}\n  ${UNLESS_LIVE} ${REQUIRE} or private.refuse_unsigned(${USER}::uuid) is null end`;

/** The scope of a transaction that acts for a principal. */
export function scopeOf(
  { role, claims, session }: Principal,
  transaction: Omit<Scope, "role" | "claims" | "session">,
): Scope {
  return { role, claims, session, ...transaction };
}

/**
 * The statement that enters a transaction as a caller; it holds until the transaction ends. With a session that is dead it
 * fails: SB001 the session, SB002 the user is gone, SB003 the user is banned, SB004 a signature is demanded.
 */
export function buildScope(scope: Scope): ScopeStatement {
  const { claims, request, session } = scope;
  const { sub } = claims;
  const values = [
    scope.role,
    writeOnce(claims),
    typeof sub === "string" ? sub : "",
    writePath(scope.schemas),
    String(scope.statementTimeoutMs),
    scope.isReadOnly ? "on" : "off",
    request.method,
    request.path,
    writeOnce(request.headers),
  ];
  if (session === undefined || session === null) return { text: TEXT, values };
  const { userId, sessionId, inactivitySeconds, isUnsigned = false } = session;
  return {
    text: isUnsigned ? UNSIGNED_TEXT : LIVE_TEXT,
    values: [...values, userId, sessionId, String(inactivitySeconds)],
  };
}

const written = new WeakMap<object, string>();

/** Claims are the same object for as long as a token is remembered, and long compared with all the rest. */
function writeOnce(value: object): string {
  const known = written.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  written.set(value, text);
  return text;
}

const paths = new WeakMap<readonly string[], string>();

/** Nearly every scope has the list of the settings. */
function writePath(schemas: readonly string[]): string {
  const known = paths.get(schemas);
  if (known !== undefined) return known;
  const path = schemas.map(quoteIdentifier).join(", ");
  paths.set(schemas, path);
  return path;
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
