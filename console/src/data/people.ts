import { useMemo } from "react";
import { useRows } from "./rows.ts";
import type { Found } from "./search-apart.ts";

/** With the swarm that the person joined last. Somebody without an account has the address as id. */
type Person = Omit<Found, "kind">;

const MAX_MEMBERS = 1_000;
const STALE_MS = 120_000;

/** The people of the user's swarms. */
export function usePeople(isOn = true): readonly Person[] {
  const { rows = [] } = useRows({
    table: "swarm_members",
    key: ["people"],
    isOn,
    staleMs: STALE_MS,
    read: (client) =>
      client
        .from("swarm_members")
        .select("id, user_id, invited_email, swarm:swarms!inner(id, name), public_profiles(full_name)")
        .order("id", { ascending: false })
        .limit(MAX_MEMBERS),
  });
  return useMemo(() => {
    const people = new Map<string, Person>();
    for (const { user_id: userId, invited_email: email, swarm, public_profiles: profile } of rows) {
      const id = userId ?? email ?? "";
      const title = profile?.full_name ?? email ?? "";
      if (!people.has(id) && title !== "") people.set(id, { id, title, detail: swarm.name, to: `/swarms/${swarm.id}` });
    }
    return [...people.values()];
  }, [rows]);
}
