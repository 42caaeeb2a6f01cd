import type { Person } from "./people.ts";

export interface LiveChanges {
  /** The swarms of the messages that arrived, oldest first. */
  readonly heard: readonly string[];
  close(): Promise<void>;
}

/** Subscribes to the messages that this user can read, and resolves when the subscription is live. */
export function followMessages({ client }: Person): Promise<LiveChanges> {
  const heard: string[] = [];
  const channel = client.channel("messages");
  channel.on<{ swarm_id: string }>(
    "postgres_changes",
    { event: "INSERT", schema: "public", table: "messages" },
    ({ new: message }) => heard.push(message.swarm_id),
  );
  return new Promise((resolve, reject) => {
    channel.subscribe((state, error) => {
      if (state === "SUBSCRIBED") resolve({ heard, close: async () => void (await client.removeAllChannels()) });
      else if (state !== "CLOSED") reject(error ?? new Error(`the channel said ${state}`));
    });
  });
}
