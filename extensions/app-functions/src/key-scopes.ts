import type { ApiKeyScope } from "@swarmbase/sdk";

/** What an API key needs for a call. The server of the operator gets the scopes of the key, and can ask for others. */
export function keyScopesOf(method: string): readonly ApiKeyScope[] {
  return [method === "GET" ? "read" : "write"];
}
