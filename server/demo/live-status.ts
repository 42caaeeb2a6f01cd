import type { Person } from "./people.ts";

export interface LiveStatus {
  /** "Clerk thinking", oldest first. */
  readonly heard: readonly string[];
  close(): Promise<void>;
}

/** Subscribes to the agents that this user can read, and resolves when the subscription is live. */
export function followStatus({ client }: Person): Promise<LiveStatus> {
  const heard: string[] = [];
  const channel = client.channel("status");
  channel.on<{ name: string; status: string }>(
    "postgres_changes",
    { event: "UPDATE", schema: "public", table: "agents" },
    ({ new: agent }) => heard.push(`${agent.name} ${agent.status}`),
  );
  return new Promise((resolve, reject) => {
    channel.subscribe((state, error) => {
      if (state === "SUBSCRIBED") resolve({ heard, close: async () => void (await client.removeAllChannels()) });
      else if (state !== "CLOSED") reject(error ?? new Error(`the channel said ${state}`));
    });
  });
}
