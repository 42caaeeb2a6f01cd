import assert from "node:assert/strict";
import { API_KEY_SCOPES } from "@swarmbase/sdk";
import { PortalTokens } from "../../src/auth/portal/portal-tokens.ts";
import { type Principal, type TransactionScope, transactionScopeOf as principalScope } from "../../src/db/index.ts";
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
export function scopeOf(caller: Caller, ids: FixtureIds): TransactionScope | null {
  switch (caller) {
    case "internal":
      return null;
    case "anon":
      return requestScope("anon", { role: "anon" });
    case "service":
      return requestScope("service_role", { role: "service_role" });
    default:
      return userScope(ids.get(caller) ?? "", `${caller}@example.test`, WAYS[caller]);
  }
}

/** How the callers have signed in. The others have done so with a password. */
const WAYS: Readonly<Partial<Record<Caller, string>>> = { admin: "oauth", stranger: "oauth" };

/** A way to sign in gives no rights: whatever the token says about it, the lines of the matrix are the same. */
export function userScope(id: string, email: string, method = "password"): TransactionScope {
  const provider = method === "oauth" ? "corp" : "email";
  const app_metadata = { provider, providers: [provider] };
  const claims = { sub: id, role: "authenticated", email, amr: [{ method, timestamp: 0 }], app_metadata };
  return requestScope("authenticated", claims);
}

/** The columns of the matrix of keys, in its order: one scope alone, all scopes, and all scopes of a key that is bound to other rows. */
export const KEYS = [...API_KEY_SCOPES, "all", "bound"] as const;
export type Key = (typeof KEYS)[number];

/** A key of the owner, or a program that it stands for, in a transaction that writes, although the service begins none for a key without `write` and `share`. */
export function keyScope(key: Key, ids: FixtureIds, clientId: string | null): TransactionScope {
  const id = ids.get("owner") ?? "";
  const isBound = key === "bound";
  const scopes = isBound || key === "all" ? API_KEY_SCOPES : [key];
  const resources = isBound ? { agents: [ids.get("ownerSpare") ?? ""], swarms: [ids.get("annex") ?? ""] } : null;
  const api_key_id = ids.get(isBound ? "boundKey" : "userKey");
  const program = clientId !== null && { client_id: clientId, amr: [{ method: "oauth", timestamp: 0 }] };
  const claims = {
    sub: id,
    role: "authenticated",
    email: "owner@example.test",
    api_key_id,
    scopes,
    resources,
    ...program,
  };
  const client = clientId !== null && { client: { id: clientId, resource: "https://localhost" } };
  const principal: Principal = {
    role: "authenticated",
    userId: id,
    claims,
    session: null,
    scopes,
    resources,
    ...client,
  };
  const { role: _role, claims: _claims, ...transaction } = requestScope("authenticated", claims);
  const enter = () => principalScope(principal, transaction);
  if (scopes.includes("write") || scopes.includes("share")) return enter();
  assert.throws(enter, { code: "INSUFFICIENT_SCOPE" });
  return { ...principalScope(principal, { ...transaction, isReadOnly: true }), isReadOnly: false };
}

/** The portal of the owner, as the service makes it of a token. */
export function portalScope(ids: FixtureIds): TransactionScope {
  const tokens = new PortalTokens({ masterKey: "matrix", clock: { now: () => new Date() } });
  const principal = tokens.verify(tokens.make(ids.get("owner") ?? "").token);
  const { role: _role, claims: _claims, ...transaction } = requestScope("api_key", principal.claims);
  return { ...principalScope(principal, transaction), session: null };
}

export function requestScope(role: TransactionScope["role"], claims: TransactionScope["claims"]): TransactionScope {
  return {
    role,
    claims,
    schemas: ["public"],
    statementTimeoutMs: 8000,
    isReadOnly: false,
    request: { method: "POST", path: "/", headers: {} },
  };
}
