import assert from "node:assert/strict";
import { type Principal, type Scope, scopeOf as principalScope } from "../../src/db/index.ts";
import type { FixtureIds } from "./fixture-ids.ts";

/** The columns of the matrix, in its order. */
export const CALLERS = [
  "owner",
  "admin",
  "member",
  "viewer",
  "invited",
  "stranger",
  "anon",
  "service",
  "internal",
] as const;
export type Caller = (typeof CALLERS)[number];

/** The login that serves the caller. The service's own two never share one with users. */
export function loginOf(caller: Caller): "sb_user" | "sb_service" {
  return caller === "service" || caller === "internal" ? "sb_service" : "sb_user";
}

/** In whose name a row is made; callers that are nobody name somebody. */
export function userOf(caller: Caller): string {
  return caller === "anon" || caller === "service" || caller === "internal" ? "someone" : caller;
}

/** How a request of this caller enters; null for the service's own work, which enters as nobody. */
export function scopeOf(caller: Caller, ids: FixtureIds): Scope | null {
  switch (caller) {
    case "internal":
      return null;
    case "anon":
      return requestScope("anon", { role: "anon" });
    case "service":
      return requestScope("service_role", { role: "service_role" });
    default:
      return userScope(ids.get(caller) ?? "", `${caller}@example.test`);
  }
}

export function userScope(id: string, email: string): Scope {
  return requestScope("authenticated", { sub: id, role: "authenticated", email });
}

/** The only kind of transaction that the service begins for an API key without the scope `write`. */
export function readKeyScope(id: string): Scope {
  const claims = { sub: id, role: "authenticated", email: "owner@example.test" };
  const principal: Principal = { role: "authenticated", userId: id, claims, session: null, scopes: ["read"] };
  const { role: _role, claims: _claims, ...transaction } = requestScope("authenticated", claims);
  assert.throws(() => principalScope(principal, transaction), { code: "INSUFFICIENT_SCOPE" });
  return principalScope(principal, { ...transaction, isReadOnly: true });
}

export function requestScope(role: Scope["role"], claims: Scope["claims"]): Scope {
  return {
    role,
    claims,
    schemas: ["public"],
    statementTimeoutMs: 8000,
    isReadOnly: false,
    request: { method: "POST", path: "/", headers: {} },
  };
}
