import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";
import type { Database, Message } from "@swarmbase/sdk";

type RunRow = Database["public"]["Tables"]["runs"]["Row"];

interface LiveHandlers {
  /** Called after each join: changes before it may have been missed. */
  onJoin(): void;
  onLeave(): void;
  onMessage(row: Partial<Message> & Pick<Message, "id">): void;
  onRun(row: Pick<RunRow, "id" | "status">): void;
  onPresence(userIds: readonly string[]): void;
}

export interface LiveChannels {
  close(): Promise<void>;
}

interface LiveChannelsOptions {
  readonly swarmId: string;
  /** The user to be shown as present; null means nobody. */
  readonly presentAs: string | null;
}

/** Channels of one client must have different names, also while an earlier one is being closed. */
let opened = 0;

/** Subscribes to the messages and runs of a swarm, and to the presence of its members. */
export function openLiveChannels(
  client: SupabaseClient<Database>,
  { swarmId, presentAs }: LiveChannelsOptions,
  handlers: LiveHandlers,
): LiveChannels {
  opened += 1;
  const filter = `swarm_id=eq.${swarmId}`;
  const changes = client
    .channel(`swarmbase-react:${swarmId}:${opened}`)
    .on("postgres_changes", { event: "*", schema: "public", table: "messages", filter }, (payload) => {
      if (payload.eventType !== "DELETE") handlers.onMessage(payload.new as Message);
    })
    .on("postgres_changes", { event: "*", schema: "public", table: "runs", filter }, (payload) => {
      if (payload.eventType !== "DELETE") handlers.onRun(payload.new as RunRow);
    })
    .subscribe((status) => {
      if (status === "SUBSCRIBED") handlers.onJoin();
      else if (status !== "CLOSED") handlers.onLeave();
    });
  const presence = presentAs === null ? null : openPresence(client, swarmId, presentAs, handlers);
  return {
    async close() {
      for (const channel of [changes, presence]) if (channel !== null) await client.removeChannel(channel);
    },
  };
}

/** Only members of the swarm can join. A member can claim any id, so look names up instead of trusting the payload. */
function openPresence(
  client: SupabaseClient<Database>,
  swarmId: string,
  userId: string,
  { onPresence }: LiveHandlers,
): RealtimeChannel {
  const channel = client.channel(`swarm:${swarmId}`, { config: { private: true, presence: { key: userId } } });
  return channel
    .on("presence", { event: "sync" }, () => onPresence(Object.keys(channel.presenceState())))
    .subscribe((status) => {
      if (status === "SUBSCRIBED") void channel.track({});
    });
}
