import pg from "pg";

const USER_ID = "0193a000-0000-7000-8000-000000000001";

/**
 * Creates a user with a webhook for new agents, so that every write must also store an event. Nothing listens at its URL, so
 * the deliveries stay and can be counted.
 */
export async function prepareUser(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query("insert into auth.users (id, email) values ($1, 'writer@example.com')", [USER_ID]);
    await client.query(
      "insert into public.webhooks (user_id, name, url, events) values ($1, 'writer', 'https://127.0.0.1:65535/', '{agent.created}')",
      [USER_ID],
    );
  });
}

export interface Writers {
  /** Resolves when every writer has lost its connection. */
  readonly closed: Promise<void>;
}

export interface WritersOptions {
  readonly writers: number;
  onAnswer(id: string): void;
}

/** Inserts agents until the connection to the database is lost. */
export async function startWriters(databaseUrl: string, { writers, onAnswer }: WritersOptions): Promise<Writers> {
  const clients = await Promise.all(Array.from({ length: writers }, () => connect(databaseUrl)));
  const closed = Promise.all(clients.map((client) => writeUntilLost(client, onAnswer))).then(() => {});
  return { closed };
}

async function writeUntilLost(client: pg.Client, onAnswer: (id: string) => void): Promise<void> {
  try {
    for (;;) {
      const { rows } = await client.query<{ id: string }>(
        "insert into public.agents (user_id, name) values ($1, 'entry') returning id",
        [USER_ID],
      );
      for (const { id } of rows) onAnswer(id);
    }
  } catch {
    // The test has killed the server.
  }
}

export async function readAgents(
  databaseUrl: string,
): Promise<{ agentIds: Set<string>; agentIdsOfEvents: Set<string> }> {
  return withClient(databaseUrl, async (client) => {
    const agents = await client.query<{ id: string }>("select id from public.agents order by id");
    const events = await client.query<{ id: string }>(
      `select data ->> 'agent_id' as id from private.events where type = 'agent.created'
       union all select payload -> 'data' ->> 'agent_id' from public.webhook_deliveries where event_type = 'agent.created'`,
    );
    return {
      agentIds: new Set(agents.rows.map(({ id }) => id)),
      agentIdsOfEvents: new Set(events.rows.map(({ id }) => id)),
    };
  });
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(databaseUrl);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  return client;
}
