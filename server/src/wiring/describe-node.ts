import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { type CredentialsFile, credentialsPath } from "../auth/index.ts";
import type { Settings } from "../config/index.ts";
import type { NodeContext } from "./node-context.ts";
import type { PreparedNode } from "./database/prepare-node.ts";

/** What the operator is told about a node that serves. */
export interface NodeDescription {
  /** The address for clients. */
  readonly url: string;
  /** The address on this machine. */
  readonly localUrl: string;
  readonly caFile: string | null;
  /** The file with the keys and the address. */
  readonly keysFile: string;
  /** The folder of the embedded database, when it is outside of the data directory; else null. */
  readonly databaseDir: string | null;
  /** One line for each framework: its provider and models. Resolves within five seconds: keys are tested before. */
  readonly providers: Promise<readonly string[]>;
  readonly extensions: readonly string[];
  /** Whether the database is a restored copy in which deliveries, agent runs and mails are held. */
  readonly isHeldCopy: boolean;
}

type Described = Pick<PreparedNode, "server" | "tls" | "prepared"> & Pick<NodeDescription, "url" | "localUrl">;

export function describeNode(
  { settings: { dataDir }, extensions }: Pick<NodeContext, "settings" | "extensions">,
  { url, localUrl, server, tls, prepared, providers }: Described & Pick<NodeDescription, "providers">,
): NodeDescription {
  const { clusterDir } = server;
  return {
    url,
    localUrl,
    caFile: tls?.caFile ?? null,
    keysFile: credentialsPath(dataDir),
    databaseDir: clusterDir?.startsWith(realpathSync(dataDir) + sep) === true ? null : clusterDir,
    providers,
    extensions: extensions.map(({ specifier }) => specifier),
    isHeldCopy: prepared.restoredCopy !== null,
  };
}

export function credentialsOf({ url, tls, server, prepared }: Omit<Described, "localUrl">): CredentialsFile {
  return {
    url,
    anon_key: prepared.anonKey,
    service_role_key: prepared.serviceRoleKey,
    ca_cert_file: tls?.caFile ?? null,
    database_url: server.ownerUrl,
  };
}

export function buildLocalUrl({ host, tlsMode }: Pick<Settings, "host" | "tlsMode">, port: number): string {
  const isLocal = ["127.0.0.1", "::1", "0.0.0.0", "::", "localhost"].includes(host);
  const name = isLocal ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tlsMode === "proxy" ? "http" : "https"}://${name}:${port}`;
}
