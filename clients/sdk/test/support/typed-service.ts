import { readFile } from "node:fs/promises";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import { Agent, fetch as fetchWith } from "undici";
import { createTestDatabase } from "../../../../server/test/support/database.ts";
import { startServiceHere } from "../../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../../server/test/support/temporary-folder.ts";

export interface Cleanup {
  after(close: () => Promise<void>): void;
}

export interface TypedService {
  readonly port: number;
  /** A client with the session of Ada, at this port. */
  signIn(port: number, change?: (send: typeof fetch) => typeof fetch): Promise<SupabaseClient<Database>>;
}

const ADA = { email: "ada@example.com", password: "correct horse battery" };

/** A running service with one user. */
export async function startTypedService(t: Cleanup, env: Readonly<Record<string, string>>): Promise<TypedService> {
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(t);
  const dataDir = await createTemporaryFolder(t, "swarmbase-sdk-");
  const { credentials } = await startServiceHere(t, {
    dataDir,
    env: { DATABASE_URL, MASTER_KEY, PROVIDER_A_KIND: "simulated", ...env },
  });
  const ca = await readFile(credentials.ca_cert_file ?? "", "utf8");
  const dispatcher = new Agent({ connect: { ca } });
  t.after(() => dispatcher.destroy());
  const send = ((url: string, init: object) => fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch;
  const open = (port: number, change: (send: typeof fetch) => typeof fetch): SupabaseClient<Database> => {
    const url = new URL(credentials.url);
    url.port = String(port);
    return createClient<Database>(url.href, credentials.anon_key, {
      global: { fetch: change(send) },
      auth: { persistSession: false, autoRefreshToken: false },
    });
  };
  const port = Number(new URL(credentials.url).port);
  const { error } = await open(port, (same) => same).auth.signUp(ADA);
  if (error !== null) throw error;
  return {
    port,
    async signIn(at, change = (same) => same) {
      // Signs in directly, so that tests count only the connections of functions.
      const { data } = await open(port, (same) => same).auth.signInWithPassword(ADA);
      const client = open(at, change);
      const session = data.session;
      if (session === null) throw new Error("Ada cannot sign in");
      await client.auth.setSession(session);
      return client;
    },
  };
}

export async function addSwarm(client: SupabaseClient<Database>, ...names: readonly string[]): Promise<string> {
  const { data: swarm } = await client.from("swarms").insert({ name: "Debate" }).select("id").single().throwOnError();
  const { data: agents } = await client
    .from("agents")
    .insert(names.map((name) => ({ name })))
    .select("id")
    .throwOnError();
  await client
    .from("swarm_agents")
    .insert(agents.map(({ id }) => ({ swarm_id: swarm.id, agent_id: id })))
    .throwOnError();
  return swarm.id;
}
