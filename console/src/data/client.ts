import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import { watchedFetch } from "./connection.ts";

export type Client = SupabaseClient<Database>;
export type TableName = keyof Database["public"]["Tables"] | keyof Database["public"]["Views"];
/** A row as it is read. */
export type Row<Name extends TableName> = (Database["public"]["Tables"] & Database["public"]["Views"])[Name]["Row"];

/** What the page is told by the service before it can call it. */
export interface Start {
  /** Empty where the service is the page's own origin. */
  readonly url: string;
  readonly anonKey: string;
  readonly version: string;
  /** Whether mails are sent, or written to files because no mail server is set up. */
  readonly mail: "smtp" | "file";
  /** The path of the API reference; null when no extension serves one. */
  readonly referencePath: string | null;
  /** The database is a restored copy: deliveries, agent runs and mails are held. */
  readonly isHeldCopy: boolean;
}

interface StartBody {
  readonly url: string;
  readonly anon_key: string;
  readonly version: string;
  readonly mail: "smtp" | "file";
  readonly reference?: string;
  readonly restored_copy?: "held";
}

const STORAGE_KEY = "swarmbase.session";
let made: { readonly client: Client; readonly start: Start } | null = null;

export async function readStart(): Promise<Start> {
  const response = await fetch("/console.json", { credentials: "same-origin" });
  if (!response.ok) throw new Error("The service does not say how to reach it.");
  const body = (await response.json()) as StartBody;
  return {
    url: body.url || location.origin,
    anonKey: body.anon_key,
    version: body.version,
    mail: body.mail,
    referencePath: body.reference ?? null,
    isHeldCopy: body.restored_copy === "held",
  };
}

export async function loadClient(): Promise<Client> {
  const start = await readStart();
  const client = createClient<Database>(start.url, start.anonKey, {
    auth: { flowType: "pkce", storageKey: STORAGE_KEY, detectSessionInUrl: true },
    global: { fetch: watchedFetch, headers: { "x-client-info": `swarmbase-console/${start.version}` } },
  });
  made = { client, start };
  return client;
}

/** The one client of the page. The page is rendered after it is made. */
export function getClient(): Client {
  if (made === null) throw new Error("the client was asked for before it was made");
  return made.client;
}

export function getStart(): Start {
  if (made === null) throw new Error("the start was asked for before it was read");
  return made.start;
}
