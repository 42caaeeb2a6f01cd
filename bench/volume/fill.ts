import type pg from "pg";

/** Rows are spread evenly over these. */
export interface Owners {
  readonly userId: string;
  readonly webhookIds: readonly string[];
  readonly swarmIds: readonly string[];
}

const OWNERS = 200;
const ROWS_AT_ONCE = 100_000;
/** Deliveries are this old at most: a fifth of them is older than the retention. */
const DAYS = 38;

export async function prepareOwners(owner: pg.Client, userId: string): Promise<Owners> {
  const insert = async (text: string): Promise<string[]> => {
    const { rows } = await owner.query<{ id: string }>(text, [userId, OWNERS]);
    return rows.map(({ id }) => id);
  };
  return {
    userId,
    webhookIds: await insert(
      `insert into public.webhooks (user_id, name, url, events) select $1, 'hook', 'https://example.test/', '{agent.created}'
       from generate_series(1, $2::integer) returning id`,
    ),
    swarmIds: await insert(
      "insert into public.swarms (owner_id, name) select $1, 'Newsroom' from generate_series(1, $2::integer) returning id",
    ),
  };
}

/** Of a database that was filled before. */
export async function readOwners(owner: pg.Client): Promise<Owners> {
  const { rows } = await owner.query<{ owners: Owners }>(
    `select json_build_object('userId', s.user_id, 'swarmIds', s.ids, 'webhookIds', (
       select json_agg(w.id) from public.webhooks w where w.user_id = s.user_id)) as owners
     from (select owner_id as user_id, json_agg(id) as ids from public.swarms group by owner_id) as s`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The database has no rows of a benchmark.");
  return row.owners;
}

/** Fills both tables at the same time, over a connection each. */
export async function fillTables(
  connect: () => Promise<pg.Client>,
  owners: Owners,
  rows: number,
  onRows: (done: string) => void,
): Promise<void> {
  const done = { deliveries: 0, messages: 0 };
  const note = (table: keyof typeof done) => (count: number) => {
    done[table] = count;
    onRows(`${done.deliveries.toLocaleString("en")} deliveries, ${done.messages.toLocaleString("en")} messages`);
  };
  await Promise.all([
    fillDeliveries(await connect(), owners, rows, note("deliveries")),
    fillMessages(await connect(), owners, rows, note("messages")),
  ]);
}

/** Inserts finished deliveries, the oldest first, with ids of the last weeks. */
async function fillDeliveries(
  owner: pg.Client,
  { webhookIds }: Owners,
  rows: number,
  onRows: (done: number) => void,
): Promise<void> {
  await inBatches(rows, onRows, (first, last) =>
    owner.query(
      `insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload, status, status_code, attempts,
         delivered_at, created_at)
       select overlay(private.new_id()::text placing left(private.get_first_id(t.at)::text, 13) from 1 for 13)::uuid, w.id, w.user_id,
         private.new_id(), 'agent.created', json_build_object('id', n, 'data', repeat(md5(n::text), 8)), 'delivered', 200, 1, t.at, t.at
       from generate_series($1::bigint, $2::bigint) as n
       cross join lateral (select now() - ($5::bigint - n) / $5::float8 * $4 * interval '1 day' as at) as t
       join public.webhooks w on w.id = ($3::uuid[])[1 + n % cardinality($3::uuid[])]`,
      [first, last, webhookIds, DAYS, rows],
    ),
  );
}

async function fillMessages(
  owner: pg.Client,
  { swarmIds }: Owners,
  rows: number,
  onRows: (done: number) => void,
): Promise<void> {
  // What they would do is not measured here, and takes most of the time.
  await owner.query("alter table public.messages disable trigger user");
  await inBatches(rows, onRows, (first, last) =>
    owner.query(
      `insert into public.messages (swarm_id, seq, sender_type, sender_name, content, created_at)
       select ($3::uuid[])[1 + n % cardinality($3::uuid[])], n, 'system', 'Ada', repeat(md5(n::text), 7), now() - interval '40 days' + n * interval '1 ms'
       from generate_series($1::bigint, $2::bigint) as n`,
      [first, last, swarmIds],
    ),
  );
  await owner.query("alter table public.messages enable trigger user");
}

async function inBatches(
  rows: number,
  onRows: (done: number) => void,
  insert: (first: number, last: number) => Promise<unknown>,
): Promise<void> {
  for (let first = 1; first <= rows; first += ROWS_AT_ONCE) {
    await insert(first, Math.min(rows, first + ROWS_AT_ONCE - 1));
    onRows(Math.min(rows, first + ROWS_AT_ONCE - 1));
  }
}
