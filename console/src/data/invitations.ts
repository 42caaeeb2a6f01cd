import { useMemo } from "react";
import { dropRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useUser } from "./session.ts";
import { useWrite } from "./write.ts";

const ANY_CHANGE = ["INSERT", "UPDATE", "DELETE"] as const;

/** The open invitations of the user, the newest first. */
export function useInvitations(): ReadResult<readonly Row<"swarm_invitations">[]> {
  const { id: userId } = useUser();
  const reading = useRows({
    table: "swarm_invitations",
    key: ["mine", userId],
    follows: ["swarm_members"],
    isBackground: true,
    read: (client, signal) =>
      client.from("swarm_invitations").select("*").order("id", { ascending: false }).limit(50).abortSignal(signal),
  });
  // Realtime publishes no changes of views.
  const onChange = useReloadSoon(
    useMemo(() => ["swarm_invitations", "mine", userId], [userId]),
    ANY_CHANGE,
  );
  useLiveTable("swarm_members", { onChange });
  return reading;
}

export function useAnswerInvitation() {
  return useWrite<{ readonly id: string; readonly isAccepted: boolean }, void>({
    tables: ["swarm_invitations", "swarm_members", "swarms"],
    optimistic: ({ id }) => [{ table: "swarm_invitations", change: dropRow(id) }],
    write: async (client, { id, isAccepted }) => {
      if (isAccepted) await unwrap(client.from("swarm_members").update({ status: "active" }).eq("id", id));
      else await unwrap(client.from("swarm_members").delete().eq("id", id));
    },
  });
}
