import { API_KEY_SCOPES, type ApiKeyScope } from "@swarmbase/sdk";
import type { ExtensionContext, ExtensionCore, ExtensionRequest } from "swarmbase/extension";

/** The user of a request, and what tools need of it. */
export interface Caller {
  readonly userId: string;
  readonly scopes: ReadonlySet<ApiKeyScope>;
  readonly core: ExtensionCore;
  /** The version of the service. */
  readonly version: string;
  /** Logs an unexpected error, which the client does not see. */
  fail(message: string, error: unknown): void;
}

export function readCaller({ caller, core }: ExtensionRequest, { version, fail }: ExtensionContext): Caller {
  const { scopes } = caller.claims;
  const permitted = Array.isArray(scopes) ? API_KEY_SCOPES.filter((scope) => scopes.includes(scope)) : API_KEY_SCOPES;
  return { userId: caller.userId ?? "", scopes: new Set(permitted), core, version, fail };
}
