import type { ApiKeyScope } from "@swarmbase/sdk";
import { AppError } from "../errors/index.ts";
import type { Principal } from "./principal.ts";

/** Whether the principal has the scope. Only API keys are restricted to scopes. */
export function hasScope({ scopes }: Pick<Principal, "scopes">, scope: ApiKeyScope): boolean {
  return scopes === undefined || scopes.includes(scope);
}

/** Throws 403 when the principal is an API key without the scope. */
export function requireScope(principal: Pick<Principal, "scopes">, scope: ApiKeyScope): void {
  if (!hasScope(principal, scope)) throw insufficientScopeError(scope);
}

export function insufficientScopeError(scope: ApiKeyScope, cause?: Error): AppError {
  return new AppError("INSUFFICIENT_SCOPE", `The API key lacks the scope ${scope}`, { cause });
}
