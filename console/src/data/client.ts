import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database, Framework } from "@swarmbase/sdk";
import { watchedFetch } from "./connection.ts";

export type Client = SupabaseClient<Database>;
export type TableName = keyof Database["public"]["Tables"] | keyof Database["public"]["Views"];
export type Row<Name extends TableName> = (Database["public"]["Tables"] & Database["public"]["Views"])[Name]["Row"];

/** The contents of `/console.json`. */
interface ConsoleConfig {
  /** The base URL of the service. */
  readonly url: string;
  readonly anonKey: string;
  readonly version: string;
  /** `file` when no mail server is configured and mails are written to files. */
  readonly mail: "smtp" | "file";
  /** What people call the provider of each framework. */
  readonly providers: Readonly<Record<Framework, string>>;
  /** Of new agents, until their maker chooses: the first one whose provider can answer. */
  readonly framework: Framework;
  /** The path of the API reference; null when no extension serves one. */
  readonly referencePath: string | null;
  /** The path of the documentation; null when no extension serves it. */
  readonly docsPath: string | null;
  /** Whether the service serves the calls of operators. */
  readonly hasOperatorView: boolean;
  /** The database is a restored copy: deliveries, agent runs and mails are held. */
  readonly isHeldCopy: boolean;
  /** Nobody has an account yet, and a visitor can make one. */
  readonly isFirstStart: boolean;
  /** The service has no model yet, and takes the first key of a provider from a user. */
  readonly mayAddProvider: boolean;
}

interface ConfigBody {
  readonly url: string;
  readonly anon_key: string;
  readonly version: string;
  readonly mail: "smtp" | "file";
  readonly providers: Readonly<Record<Framework, string>>;
  readonly framework: Framework;
  readonly reference?: string;
  readonly docs?: string;
  readonly operator?: string;
  readonly restored_copy?: "held";
  readonly first_start?: true;
  readonly add_provider?: true;
}

/** The page that the browser comes back to from an MCP server. */
export const AUTHORIZED_PATH = "/tools/authorized";

const STORAGE_KEY = "swarmbase.session";
let loaded: { readonly client: Client; readonly config: ConsoleConfig } | null = null;

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch("/console.json", { credentials: "same-origin" });
  if (!response.ok) throw new Error("The configuration of the console could not be loaded.");
  const body = (await response.json()) as ConfigBody;
  return {
    url: body.url || location.origin,
    anonKey: body.anon_key,
    version: body.version,
    mail: body.mail,
    providers: body.providers,
    framework: body.framework,
    referencePath: body.reference ?? null,
    docsPath: body.docs ?? null,
    hasOperatorView: body.operator !== undefined,
    isHeldCopy: body.restored_copy === "held",
    isFirstStart: body.first_start === true,
    mayAddProvider: body.add_provider === true,
  };
}

/** With `accessToken`, that of the portal, the client has no session and stores nothing. */
export async function loadClient(accessToken?: () => Promise<string>): Promise<Client> {
  const config = await loadConfig();
  const client = createClient<Database>(config.url, config.anonKey, {
    ...(accessToken === undefined
      ? {
          auth: {
            flowType: "pkce",
            storageKey: STORAGE_KEY,
            // The fragment of that page has the answer of an MCP server, which supabase-js would take for one of its own.
            detectSessionInUrl: location.pathname !== AUTHORIZED_PATH,
            experimental: { recoveryCodes: true },
          },
        }
      : { accessToken }),
    global: { fetch: watchedFetch, headers: { "x-client-info": `swarmbase-console/${config.version}` } },
  });
  loaded = { client, config };
  return client;
}

/** After a change of the providers. */
export async function reloadConfig(): Promise<void> {
  const config = await loadConfig();
  if (loaded !== null) loaded = { ...loaded, config };
}

/** The client of the page, which is created before the first render. */
export function getClient(): Client {
  if (loaded === null) throw new Error("getClient was called before loadClient");
  return loaded.client;
}

export function getConfig(): ConsoleConfig {
  if (loaded === null) throw new Error("getConfig was called before loadClient");
  return loaded.config;
}
