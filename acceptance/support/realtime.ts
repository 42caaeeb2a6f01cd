import type { TestContext } from "node:test";
import type { RealtimeChannel, RealtimeChannelOptions, SupabaseClient } from "@supabase/supabase-js";
import { ok } from "./clients.ts";
import { eventually } from "./eventually.ts";
import type { Person, Row } from "./people.ts";

/** The two versions of the protocol that the client library speaks. */
export const VERSIONS = ["1.0.0", "2.0.0"] as const;
export type Version = (typeof VERSIONS)[number];

/** The unmodified library, except for a shorter reconnect delay. */
export function withVersion(vsn: Version) {
  return { realtime: { vsn, reconnectAfterMs: () => 100 } };
}

export interface ChangesFilter {
  readonly event: "*" | "INSERT" | "UPDATE" | "DELETE";
  readonly schema: string;
  readonly table?: string;
  readonly filter?: string;
}

/** The arguments of callbacks. */
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

/** A unique channel name. */
export function newTopic(): string {
  lastTopic += 1;
  return `topic-${process.pid}-${lastTopic}`;
}

const clients = new Set<SupabaseClient>();

/** Otherwise the process waits until clients close sockets without channels. */
export async function disconnectAll(): Promise<void> {
  for (const client of clients) await client.realtime.disconnect();
}

/** A channel that is removed when the test ends. */
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

/** Subscribes, resolves with the reply to the join, and records later status changes. */
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

export interface ReceivedChanges {
  readonly channel: RealtimeChannel;
  readonly changes: readonly Change[];
  /** The statuses passed to `subscribe`, oldest first. */
  readonly statuses: readonly string[];
  /** Waits for at least this many changes and returns them. */
  waitFor(count: number): Promise<readonly Change[]>;
}

/** A channel with a subscription to row changes. */
export async function receiveChanges(
  t: TestContext,
  client: SupabaseClient,
  filter: ChangesFilter,
): Promise<ReceivedChanges> {
  const channel = openChannel(t, client);
  const changes: Change[] = [];
  addListener(channel, filter, (change) => changes.push(change));
  const statuses = await subscribe(channel);
  const waitFor = (count: number) =>
    eventually(
      () => changes,
      ({ length }) => length >= count,
      `${count} changes`,
    );
  return { channel, changes, statuses, waitFor };
}

export function addListener(channel: RealtimeChannel, filter: ChangesFilter, listen: (change: Change) => void): void {
  // The library's types have an overload for each event, and none for a union of them.
  channel.on<Row>("postgres_changes", filter as ChangesFilter & { event: "*" }, (change) => listen(change));
}

/** A client that can write rows through the library. */
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
