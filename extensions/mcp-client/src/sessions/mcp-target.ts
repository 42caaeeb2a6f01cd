import { hash } from "node:crypto";
import type { AccountTokens, ToolAccount } from "swarmbase/extension";

/** A server and the credentials of one owner. */
export interface RemoteTarget {
  /** The owner of the secrets, or the person whose account is used. Owners do not share sessions. */
  readonly ownerId: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Not null: sent as bearer tokens. */
  readonly tokens: AccountTokens | null;
  /** Whose tokens they are. */
  readonly account?: ToolAccount;
}

/** A program of the operator, by name. It gets no secrets, so owners share it. */
export interface ProgramTarget {
  readonly ownerId: string | null;
  readonly server: string;
}

export type McpTarget = RemoteTarget | ProgramTarget;

/** Calls with the same key share a session. */
export function keyOf(target: McpTarget): string {
  if ("server" in target) return `program ${target.server}`;
  const { ownerId, url, headers, tokens, account = "owner" } = target;
  const sorted = Object.entries(headers).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return hash("sha256", JSON.stringify([ownerId, url, sorted, tokens !== null && account]), "base64");
}

/** What the limit of sessions per server counts: different paths of a host are one server. */
export function serverOf(target: McpTarget): string {
  return "server" in target ? `program ${target.server}` : new URL(target.url).origin;
}
