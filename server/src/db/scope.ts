import { type Isolation, perObject } from "@swarmbase/postgres";
import pg from "pg";
import { activeTraceparent } from "../observe/index.ts";
import { hasScope, isPortal, requireScope } from "./key-scopes.ts";
import { type Claims, type DatabaseRole, databaseRoleOf, type Principal, type PrincipalSession } from "./principal.ts";

/** Whose share of a pool the requests with the key of the service role use. */
export const SERVICE_ROLE_KEY = "service_role";

/** The principal of a transaction, and what functions and views may read of the request. */
export interface TransactionScope {
  readonly role: DatabaseRole;
  readonly claims: Claims;
  readonly schemas: readonly string[];
  readonly statementTimeoutMs: number;
  /** How long a statement of a write waits for a lock of another transaction; 0, the default, is no limit. */
  readonly lockTimeoutMs?: number;
  readonly isReadOnly: boolean;
  /** Default: that of the server. */
  readonly isolation?: Isolation | null;
  /** The session that must be active for the transaction to begin. Every request with the token of a user has one. */
  readonly session?: PrincipalSession | null;
  /** The address of an anonymous caller, where it is known. */
  readonly address?: string | undefined;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

interface ScopeStatement {
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
/** A read waits for no row, so it is spared this one; it ends with the transaction of a write. */
const WRITE_SETTINGS = [...SETTINGS, "lock_timeout"];
/** Of a write within a recorded span. Events and runs that the write creates store it. */
const TRACED_WRITE_SETTINGS = [...WRITE_SETTINGS, "swarmbase.traceparent"];

interface ScopeTexts {
  /** Without a session. */
  readonly plain: string;
  /** With a session: one text for each combination of the three checks that depend on the request. */
  readonly bySession: readonly string[];
}

function renderTexts(settings: readonly string[]): ScopeTexts {
  // Returns no rows: they would only repeat what was sent. No `set_config` returns null, so all of them are evaluated.
  const plain = `select where ${settings.map((name, index) => `pg_catalog.set_config('${name}', $${index + 1}, true) is null`).join("\n  or ")}`;
  const [user, session, inactivity] = [1, 2, 3].map((place) => `$${settings.length + place}`);
  const unlessLive = `or case when ${inactivity}::int = 0 and private.is_session_live(${user}::uuid, ${session}::uuid) then false else`;
  const requireLive = `private.require_live_session(${user}::uuid, ${session}::uuid, ${inactivity}::int) is null`;
  const checks = [
    `private.require_second_factor(${user}::uuid, ${session}::uuid) is null`,
    `private.reject_unsigned_request(${user}::uuid) is null`,
    `private.require_message_signature(${user}::uuid) is null`,
  ];
  const bySession = Array.from({ length: 1 << checks.length }, (_, flags) => {
    // The fast path accepts no session whose user requires signatures, and none that lacks the second factor of its
    // user, so that only these are checked twice.
    const required = [requireLive, ...checks.filter((_check, bit) => (flags & (1 << bit)) !== 0)];
    return `${plain}\n  ${unlessLive} ${required.join(" or ")} end`;
  });
  return { plain, bySession };
}

const READ_TEXTS = renderTexts(SETTINGS);
const WRITE_TEXTS = renderTexts(WRITE_SETTINGS);
const TRACED_WRITE_TEXTS = renderTexts(TRACED_WRITE_SETTINGS);

function chooseText(
  { bySession }: ScopeTexts,
  { isAal2Required, isUnsigned, lacksMessageSignature }: PrincipalSession,
): string {
  const flags =
    Number(isAal2Required ?? 0) | (Number(isUnsigned ?? 0) << 1) | (Number(lacksMessageSignature ?? 0) << 2);
  return bySession[flags] ?? "";
}

/**
 * The scope of a transaction that acts for a principal. An API key without the scopes `write` and `share` gets read-only
 * transactions alone, in which PostgreSQL rejects the writes of functions and triggers too.
 */
export function transactionScopeOf(
  principal: Principal,
  transaction: Omit<TransactionScope, "role" | "claims" | "session" | "address">,
): TransactionScope {
  const { claims, session, address } = principal;
  if (!transaction.isReadOnly && !hasScope(principal, "share") && !isPortal(principal))
    requireScope(principal, "write");
  return { role: databaseRoleOf(principal), claims, session, address, ...transaction };
}

/** Whose share of a bounded resource is used: the user's, that of the address of an anonymous caller, or the service role's. */
export function shareKeyOf({
  role,
  claims,
  address = "",
}: Pick<TransactionScope, "role" | "claims" | "address">): string {
  if (role === "service_role") return SERVICE_ROLE_KEY;
  return role === "anon" ? `anon ${address}` : String(claims["sub"]);
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
export function buildScope(scope: TransactionScope): ScopeStatement {
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
  let texts = READ_TEXTS;
  if (!scope.isReadOnly) {
    const traceparent = activeTraceparent();
    values.push(String(scope.lockTimeoutMs ?? 0), ...(traceparent === null ? [] : [traceparent]));
    texts = traceparent === null ? WRITE_TEXTS : TRACED_WRITE_TEXTS;
  }
  if (session === undefined || session === null) return { text: texts.plain, values };
  const { userId, sessionId, inactivitySeconds } = session;
  return { text: chooseText(texts, session), values: [...values, userId, sessionId, String(inactivitySeconds)] };
}
