import { useMemo } from "react";
import { dropRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { Failure, unwrap } from "./failure.ts";
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
    read: (client) => client.from("swarm_invitations").select("*").order("id", { ascending: false }).limit(50),
  });
  // Realtime publishes no changes of views.
  const onChange = useReloadSoon(
    useMemo(() => ["swarm_invitations", "mine", userId], [userId]),
    ANY_CHANGE,
  );
  useLiveTable("swarm_members", { onChange });
  return reading;
}

const NAME = "invitations";

/** The invitation of the secret of a link; none when the secret is not valid for the user. */
export function useSecretInvitation(secret: string | null): ReadResult<readonly Row<"swarm_invitations">[]> {
  const { id: userId } = useUser();
  return useRows({
    table: "swarm_invitations",
    key: ["secret", secret, userId],
    isOn: secret !== null,
    read: async (client) => {
      const body = { action: "find", secret };
      try {
        const found: unknown = await unwrap(client.functions.invoke(NAME, { body }));
        return { data: [(found as { invitation: Row<"swarm_invitations"> }).invitation], error: null };
      } catch (error) {
        if (!(error instanceof Failure) || error.status !== 404) throw error;
        return { data: [], error: null };
      }
    },
  });
}

interface InvitationAnswer {
  readonly id: string;
  readonly isAccepted: boolean;
  /** Of the link; null for an invitation that the user sees without it. */
  readonly secret?: string | null;
}

export function useAnswerInvitation() {
  return useWrite<InvitationAnswer, void>({
    tables: ["swarm_invitations", "swarm_members", "swarms"],
    optimistic: ({ id }) => [{ table: "swarm_invitations", change: dropRow(id) }],
    write: async (client, { id, isAccepted, secret = null }) => {
      const body = { action: isAccepted ? "accept" : "decline", secret };
      if (secret !== null) await unwrap(client.functions.invoke(NAME, { body }));
      else if (isAccepted) await unwrap(client.from("swarm_members").update({ status: "active" }).eq("id", id));
      else await unwrap(client.from("swarm_members").delete().eq("id", id));
    },
  });
}
