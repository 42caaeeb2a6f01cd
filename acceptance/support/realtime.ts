import type { TestContext } from "node:test";
import type { RealtimeChannel, RealtimeChannelOptions, SupabaseClient } from "@supabase/supabase-js";
import { ok } from "./clients.ts";
import { eventually } from "./eventually.ts";
import type { Person, Row } from "./people.ts";

/** The two versions of the protocol that the client library speaks. */
export const VERSIONS = ["1.0.0", "2.0.0"] as const;
export type Version = (typeof VERSIONS)[number];

/** The library as it is, but for the time that it waits before it comes back. */
export function speaking(vsn: Version) {
  return { realtime: { vsn, reconnectAfterMs: () => 100 } };
}

export interface ChangesWanted {
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table?: string;
  readonly filter?: string;
}

/** What callbacks get. */
export interface Change {
  readonly eventType: "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table: string;
  readonly commit_timestamp: string;
  readonly new: Row;
  readonly old: Row;
  readonly errors: readonly string[] | null;
}

let lastTopic = 0;

/** A name that no other channel of this run has. */
export function newTopic(): string {
  lastTopic += 1;
  return `topic-${process.pid}-${lastTopic}`;
}

const clients = new Set<SupabaseClient>();

/** Without it, the process waits as long as clients keep a socket that has no channel any more. */
export async function disconnectAll(): Promise<void> {
  for (const client of clients) await client.realtime.disconnect();
}

/** A channel that is left when the test ends. */
export function openChannel(
  t: TestContext,
  client: SupabaseClient,
  topic = newTopic(),
  config: RealtimeChannelOptions["config"] = {},
): RealtimeChannel {
  clients.add(client);
  const channel = client.channel(topic, { config });
  t.after(async () => void (await client.removeChannel(channel)));
  return channel;
}

/** Subscribes; resolves when that is answered, and goes on to note what the channel says of itself. */
export function subscribe(channel: RealtimeChannel): Promise<string[]> {
  const statuses: string[] = [];
  return new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      statuses.push(status);
      if (status === "SUBSCRIBED") resolve(statuses);
      else reject(error ?? new Error(status));
    });
  });
}

export interface Heard {
  readonly channel: RealtimeChannel;
  readonly changes: readonly Change[];
  /** As `subscribe` was called back, oldest first. */
  readonly statuses: readonly string[];
  /** The changes, once they are at least as many. */
  waitFor(count: number): Promise<readonly Change[]>;
}

/** A channel that is subscribed to changes of rows. */
export async function hear(t: TestContext, client: SupabaseClient, wanted: ChangesWanted): Promise<Heard> {
  const channel = openChannel(t, client);
  const changes: Change[] = [];
  addListener(channel, wanted, (change) => changes.push(change));
  const statuses = await subscribe(channel);
  const waitFor = (count: number) =>
    eventually(
      () => changes,
      ({ length }) => length >= count,
      `${count} changes`,
    );
  return { channel, changes, statuses, waitFor };
}

export function addListener(channel: RealtimeChannel, wanted: ChangesWanted, listen: (change: Change) => void): void {
  // The library's type has an overload for each event, and none for any of them.
  channel.on<Row>("postgres_changes", wanted as ChangesWanted & { event: "*" }, (change) => listen(change));
}

/** Who writes rows through the library. */
type WithClient = Pick<Person, "client">;

export async function addRow({ client }: WithClient, table: string, row: Row): Promise<Row> {
  return ok(await client.from(table).insert(row).select().single()) as Row;
}

export async function changeRow({ client }: WithClient, table: string, id: unknown, row: Row): Promise<Row> {
  return ok(await client.from(table).update(row).eq("id", id).select().single()) as Row;
}

export async function removeRow({ client }: WithClient, table: string, id: unknown): Promise<void> {
  ok(await client.from(table).delete().eq("id", id));
}
