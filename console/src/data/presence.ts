import { useEffect, useState } from "react";
import { getClient } from "./client.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * The ids of the users who have the swarm open. Only members can join the channel, but a member can claim any id, so show only
 * ids of members, with the names from the service.
 */
export function usePresence(swarmId: string, userId: string): ReadonlySet<string> {
  const [present, setPresent] = useState(NOBODY);
  useEffect(() => {
    const client = getClient();
    const channel = client.channel(`swarm:${swarmId}`, { config: { private: true, presence: { key: userId } } });
    channel
      .on("presence", { event: "sync" }, () => setPresent(new Set(Object.keys(channel.presenceState()))))
      .subscribe((status) => {
        if (status === "SUBSCRIBED") void channel.track({});
      });
    return () => {
      setPresent(NOBODY);
      void client.removeChannel(channel);
    };
  }, [swarmId, userId]);
  return present;
}
