import { AppError, type NamedServer } from "swarmbase/extension";
import { type McpConfig, requireConfig } from "./mcp-config.ts";

/** The configuration of a tool of the server that a request describes. */
export function buildConfig(named: NamedServer, remoteName: string): McpConfig {
  const { url, server, headers = {}, auth, secrets } = named;
  const [only, ...others] = Object.keys(secrets);
  const isSingle = only !== undefined && others.length === 0;
  const chosen = auth ?? (isSingle ? { type: "bearer", secret: only } : undefined);
  const isSent = Object.keys(headers).length > 0 || chosen !== undefined || only !== undefined;
  if (server !== undefined && isSent)
    throw new AppError("VALIDATION_ERROR", "A server of the operator gets no credentials of users", {
      details: { server: "cannot be combined with headers, auth and secrets" },
    });
  if (chosen?.["type"] === "oauth" && only !== undefined)
    throw new AppError("VALIDATION_ERROR", "A server with OAuth gets no secrets", {
      details: { secrets: "cannot be combined with auth of type oauth" },
    });
  const address = server === undefined ? { url, headers, ...(chosen !== undefined && { auth: chosen }) } : { server };
  return requireConfig({ ...address, remote_name: remoteName });
}
