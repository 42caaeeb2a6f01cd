/** Who a transaction acts for, and what functions and views may see of the request. */
export interface Scope {
  readonly role: "anon" | "authenticated" | "service_role";
  /** As verified from the token; `{}` when there is none. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly schemas: readonly string[];
  readonly statementTimeoutMs: number;
  readonly isReadOnly: boolean;
  /** Whose session must be alive for the transaction to begin. Every request with a user's token has one. */
  readonly session?: ScopeSession;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export interface ScopeSession {
  readonly userId: string;
  /** Null when the token has none: then only the user must be there. */
  readonly sessionId: string | null;
  /** 0 is no limit. */
  readonly inactivitySeconds: number;
}

export interface ScopeStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

// Every setting is written every time: a connection is shared, and what one caller left out must not be what another left behind.
const TEXT = `select
  pg_catalog.set_config('role', $1, true),
  pg_catalog.set_config('request.jwt.claims', $2, true),
  pg_catalog.set_config('search_path', $3, true),
  pg_catalog.set_config('statement_timeout', $4, true),
  pg_catalog.set_config('transaction_read_only', $5, true),
  pg_catalog.set_config('request.method', $6, true),
  pg_catalog.set_config('request.path', $7, true),
  pg_catalog.set_config('request.headers', $8, true)`;
const LIVE_TEXT = `${TEXT},
  private.require_live_session($9::uuid, $10::uuid, $11::int)`;

/**
 * The statement that enters a transaction as a caller; it holds until the transaction ends. With a session that is dead it
 * fails: SB001 the session, SB002 the user is gone, SB003 the user is banned.
 */
export function buildScope(scope: Scope): ScopeStatement {
  const values = [
    scope.role,
    JSON.stringify(scope.claims),
    scope.schemas.map(quoteIdentifier).join(", "),
    String(scope.statementTimeoutMs),
    scope.isReadOnly ? "on" : "off",
    scope.request.method,
    scope.request.path,
    JSON.stringify(scope.request.headers),
  ];
  if (scope.session === undefined) return { text: TEXT, values };
  const { userId, sessionId, inactivitySeconds } = scope.session;
  return { text: LIVE_TEXT, values: [...values, userId, sessionId, String(inactivitySeconds)] };
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
