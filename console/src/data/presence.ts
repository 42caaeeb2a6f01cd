import { useEffect, useState } from "react";
import { getClient } from "./client.ts";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Ids of the users who have the swarm open now. Only its members get into the channel, but each could say that they are another,
 * so that only members are worth showing, under the names that the service gives them.
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
