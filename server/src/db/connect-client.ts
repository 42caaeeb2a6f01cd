import { DatabaseClient } from "./hosts/database-client.ts";
import { findDatabaseHosts } from "./hosts/database-hosts.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** Opens one connection outside the pools, for a single task. */
export async function connectClient(url: string): Promise<DatabaseClient> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: "swarmbase-command",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A connection that breaks fails its current query; without a listener it would also end the process.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Runs the work over one connection outside the pools, and closes it. */
export async function withClient<T>(
  source: string | DatabaseClient,
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T> {
  const client = typeof source === "string" ? await connectClient(source) : source;
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A connection string that names one server: the one that accepts writes, if the given one names several. */
export async function findServerUrl(url: string): Promise<string> {
  if (findDatabaseHosts(url) === null) return url;
  return withClient(url, async (client) => client.serverUrlOf(url));
}
