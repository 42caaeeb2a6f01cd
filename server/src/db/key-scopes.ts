import { type ApiKeyScope, SECRET_COLUMNS } from "@swarmbase/sdk";
import { AppError } from "../errors/index.ts";
import type { Principal } from "./principal.ts";

type Scoped = Pick<Principal, "scopes" | "client">;

/** Whether the principal has the scope. Only API keys and portals are restricted to scopes. */
export function hasScope({ scopes }: Scoped, scope: ApiKeyScope): boolean {
  return scopes === undefined || scopes.includes(scope);
}

/** Throws 403 when the principal is an API key without the scope, or a portal. */
export function requireScope(principal: Scoped, scope: ApiKeyScope): void {
  if (!hasScope(principal, scope)) throw isPortal(principal) ? portalError() : insufficientScopeError(scope, principal);
}

/** Whether the caller is the portal: a page on which a customer of an app manages their own webhooks, and nothing else. */
export function isPortal({ scopes }: Scoped): boolean {
  return scopes?.includes("portal") === true;
}

/** Throws 403 when the principal is the portal. Calls that it needs do not ask. */
export function rejectPortal(principal: Scoped): void {
  if (isPortal(principal)) throw portalError();
}

/**
 * What an API key needs for a call: all of these scopes, without being bound to resources; `checked`: the call itself, or the
 * database, decides by what is called; null means a person.
 */
export type KeyScope = readonly ApiKeyScope[] | "checked" | null;

/** Throws 403 when the principal is an API key that may not make the call, or the portal. */
export function requireKeyScope(principal: Scoped & Pick<Principal, "resources">, needed: KeyScope = null): void {
  const { scopes, resources = null } = principal;
  rejectPortal(principal);
  if (scopes === undefined || needed === "checked") return;
  if (needed === null) throw keyNotAllowedError(principal);
  for (const scope of needed) requireScope(principal, scope);
  if (resources !== null) throw keyNotAllowedError(principal);
}

/** Whether the principal may read everything that its user may: not a key without `read`, and none that is bound to resources. */
export function readsAll(principal: Scoped & Pick<Principal, "resources">): boolean {
  return hasScope(principal, "read") && (principal.resources ?? null) === null;
}

/** Returns null when the principal is no API key. */
export function apiKeyIdOf({ scopes, session }: Pick<Principal, "scopes" | "session">): string | null {
  return scopes === undefined ? null : (session?.sessionId ?? null);
}

const NO_COLUMNS: readonly string[] = [];

/** The columns of a table that are hidden from the principal. */
export function hiddenColumnsOf(principal: Scoped, schema: string, table: string): readonly string[] {
  if (schema !== "public" || hasScope(principal, "secrets") || !Object.hasOwn(SECRET_COLUMNS, table)) return NO_COLUMNS;
  const secrets = SECRET_COLUMNS[table] ?? NO_COLUMNS;
  return table === "webhooks" && isPortal(principal) ? [...secrets, "receives_app_events"] : secrets;
}

/** The challenge names all scopes that a program has to ask its user for, with those that it has. No program gets `secrets`. */
export function insufficientScopeError(scope: string, { scopes = [], client }: Scoped, cause?: Error): AppError {
  if (client === undefined)
    return new AppError("INSUFFICIENT_SCOPE", `The API key lacks the scope ${scope}`, { cause });
  const wanted = [...new Set([...scopes, scope])].join(" ");
  const challenge = `Bearer error="insufficient_scope"${scope === "secrets" ? "" : `, scope="${wanted}"`}`;
  const extra = { headers: { "www-authenticate": challenge }, cause };
  return new AppError("INSUFFICIENT_SCOPE", `The token of the program lacks the scope ${scope}`, extra);
}

export function portalError(cause?: Error): AppError {
  const message = "The token of a portal reaches webhooks, their deliveries and attempts, and event types alone";
  return new AppError("FORBIDDEN", message, { cause });
}

export function keyNotAllowedError({ client }: Pick<Principal, "client">, cause?: Error): AppError {
  const caller = client === undefined ? "An API key" : "The token of a program";
  return new AppError("API_KEY_NOT_ALLOWED", `${caller} cannot make this call: sign in`, { cause });
}
