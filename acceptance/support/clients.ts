import { readFileSync } from "node:fs";
import tls from "node:tls";
import { createClient, type Session, type SupabaseClient, type SupabaseClientOptions } from "@supabase/supabase-js";
import type { Service } from "./service.ts";

type AuthOptions = NonNullable<SupabaseClientOptions<"public">["auth"]>;
type RealtimeOptions = NonNullable<SupabaseClientOptions<"public">["realtime"]>;

export interface ClientOptions {
  auth?: AuthOptions;
  fetch?: typeof fetch;
  /** Default: the anon key. */
  key?: string;
  realtime?: RealtimeOptions;
}

/** The unmodified client library with its own storage. */
export function openClient(service: Service, { auth = {}, fetch, key, realtime }: ClientOptions = {}): SupabaseClient {
  trust(service);
  const { url, anon_key } = service.credentials;
  return createClient<unknown>(url, key ?? anon_key, {
    auth,
    ...(fetch !== undefined && { global: { fetch } }),
    ...(realtime !== undefined && { realtime }),
  });
}

/** A client with the service role key. */
export function openAdmin(service: Service, auth: AuthOptions = {}): SupabaseClient {
  return openClient(service, {
    key: service.credentials.service_role_key,
    auth: { autoRefreshToken: false, persistSession: false, ...auth },
  });
}

/** Returns the data of a library response; fails if it has an error. */
export function ok<R extends { data: unknown; error: Error | null }>({
  data,
  error,
}: R): Extract<R, { error: null }>["data"] {
  if (error !== null) throw error;
  return data;
}

let lastNumber = 0;

/** A unique e-mail address. */
export function newEmail(name = "user"): string {
  lastNumber += 1;
  return `${name}-${Date.now().toString(36)}-${process.pid}-${lastNumber}@example.com`;
}

export const PASSWORD = "correct horse 7";

export interface SignedUp {
  client: SupabaseClient;
  email: string;
  session: Session;
}

/** Signs up a new user. */
export async function signUpNew(service: Service, options?: ClientOptions): Promise<SignedUp> {
  const client = openClient(service, options);
  const email = newEmail();
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD });
  if (error !== null) throw error;
  if (data.session === null) throw new Error("The sign-up started no session.");
  return { client, email, session: data.session };
}

/** Signs the same user in on another device. */
export async function signInAgain(service: Service, email: string, options?: ClientOptions): Promise<SignedUp> {
  const client = openClient(service, options);
  const { data, error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  if (error !== null) throw error;
  return { client, email, session: data.session };
}

const trusted = new Set<string>();

/** Has the effect of `NODE_EXTRA_CA_CERTS`, for a service whose authority is created after the process started. */
function trust({ credentials: { ca_cert_file: file } }: Service): void {
  if (file === null || trusted.has(file)) return;
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), readFileSync(file, "utf8")]);
  trusted.add(file);
}
