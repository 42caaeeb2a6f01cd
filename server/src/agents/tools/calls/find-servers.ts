import { AppError } from "../../../errors/index.ts";
import type { ToolAccounts, ToolKind, ToolKinds } from "../tool-kind.ts";
import type { Authorizations, ToolServers } from "../tool-servers.ts";

/** The kind whose tools belong to servers. At most one is loaded. */
interface ServerKind {
  readonly name: string;
  readonly kind: ToolKind;
  readonly servers: ToolServers;
}

function findServers(kinds: ToolKinds): ServerKind | null {
  for (const [name, kind] of kinds) if (kind.servers !== undefined) return { name, kind, servers: kind.servers };
  return null;
}

/** Returns null when no kind keeps accounts of people. */
export function findAccounts(kinds: ToolKinds): ToolAccounts | null {
  for (const { accounts } of kinds.values()) if (accounts !== undefined) return accounts;
  return null;
}

export function requireServers(kinds: ToolKinds): ServerKind {
  const found = findServers(kinds);
  if (found !== null) return found;
  throw new AppError("VALIDATION_ERROR", "This service has no tools of servers", {
    details: { action: "needs the extension mcp-client, which EXTENSIONS does not name" },
  });
}

/** Those of the loaded kind. Without one, an account has nothing to withdraw, and other calls are rejected. */
export function createAuthorizations(kinds: ToolKinds): Authorizations {
  const require = (): Authorizations => requireServers(kinds).servers.authorizations;
  return {
    start: async (call) => require().start(call),
    connect: async (call) => require().connect(call),
    finish: async (call) => require().finish(call),
    list: async (ownerId) => require().list(ownerId),
    revoke: async (key) => require().revoke(key),
    prepareWithdrawal: async (ownerId) =>
      findServers(kinds)?.servers.authorizations.prepareWithdrawal(ownerId) ?? (() => {}),
  };
}
