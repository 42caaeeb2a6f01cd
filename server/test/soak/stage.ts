import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Cleanup } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";
import { startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { WITHOUT_LIMITS } from "../support/without-limits.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { INSPECTED, type Inspector, openInspector } from "./inspector.ts";
import { HEAP_LIMIT_MB } from "./judge-memory.ts";
import { type Call, type Client, openClient } from "./client.ts";

export interface Person {
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string;
  readonly agentId: string;
  readonly swarmId: string;
}

export interface SoakStage {
  readonly url: string;
  readonly ca: string;
  readonly anonKey: string;
  readonly pid: number;
  readonly metricsPort: number;
  readonly inspector: Inspector;
  readonly client: Client;
  readonly people: readonly Person[];
  readonly receiver: Receiver;
  /** Everything that the service has printed. */
  output(): string;
}

export const PASSWORD = "correct horse battery staple";
const PEOPLE = 4;
/** Few, so that a load which a small machine can make is above what they can serve. */
const POOL_SIZE = 4;
/** Counted, so that what counting keeps is seen, and never reached. */
const MANY_PER_MINUTE = "1000000";
/** Small enough for those who never read to be given up within the run. */
const SEND_BUFFER_BYTES = "262144";

/** A function of the operator's that is slow without using the processor, so that connections run out first. */
const SLOW_FUNCTION = `
  create function public.soak_wait() returns void language sql as 'select pg_catalog.pg_sleep(0.05)';
  grant execute on function public.soak_wait() to authenticated`;

/** A service of its own on loopback with everything that the traffic needs; all of it is gone in the end. */
export async function openSoakStage(t: Cleanup): Promise<SoakStage> {
  const folder = await createTemporaryFolder(t, "swarmbase-soak-");
  const caFile = join(folder, "receiver-ca.pem");
  await writeFile(caFile, RECEIVER_CA);
  const receiver = await startReceiver(t);
  const metricsPort = await findFreePort();
  const { pid, credentials, output } = await startService(t, {
    dataDir: join(folder, "data"),
    nodeOptions: [INSPECTED, `--max-old-space-size=${HEAP_LIMIT_MB}`],
    env: {
      ...Object.fromEntries(Object.keys(WITHOUT_LIMITS).map((name) => [name, MANY_PER_MINUTE])),
      DB_POOL_SIZE: String(POOL_SIZE),
      LOG_LEVEL: "error",
      METRICS_PORT: String(metricsPort),
      REALTIME_SEND_BUFFER_LIMIT_BYTES: SEND_BUFFER_BYTES,
      WEBHOOK_CA_FILE: caFile,
    },
  });
  const { url, anon_key: anonKey, ca_cert_file: serviceCaFile, database_url: databaseUrl } = credentials;
  const inspector = await openInspector(t, output());
  await runSql(databaseUrl, SLOW_FUNCTION);
  const ca = await readFile(serviceCaFile ?? "", "utf8");
  const client = openClient(url, ca);
  t.after(async () => client.close());
  const people: Person[] = [];
  for (let number = 0; number < PEOPLE; number += 1) {
    people.push(await settle(client, anonKey, `person-${number}@example.test`, receiver.url));
  }
  return { url, ca, anonKey, pid, metricsPort, inspector, client, people, receiver, output };
}

async function settle(client: Client, anonKey: string, email: string, hookUrl: string): Promise<Person> {
  const ask = async (call: Call): Promise<Record<string, unknown>> => {
    const { status, text } = await client.send(call);
    if (status >= 300) throw new Error(`${call.method} ${call.path} was answered ${status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const signedUp = await ask({
    method: "POST",
    path: "/auth/v1/signup",
    headers: { apikey: anonKey },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const token = String(signedUp["access_token"]);
  const headers = { apikey: anonKey, authorization: `Bearer ${token}` };
  const create = async (table: string, row: object): Promise<string> => {
    const path = `/rest/v1/${table}`;
    const prefer = "return=representation";
    const accept = "application/vnd.pgrst.object+json";
    const made = await ask({
      method: "POST",
      path,
      headers: { ...headers, prefer, accept },
      body: JSON.stringify(row),
    });
    return String(made["id"]);
  };
  const agentId = await create("agents", { name: "Ada", system_prompt: "Be brief." });
  const swarmId = await create("swarms", { name: "Soak" });
  await create("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  await create("webhooks", { name: "soak", url: hookUrl, events: ["agent.updated"] });
  return { email, headers, token, agentId, swarmId };
}

async function runSql(connectionString: string, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
