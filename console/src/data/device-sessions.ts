import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callService } from "./call-service.ts";
import { getClient } from "./client.ts";
import type { Failure } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { signOut } from "./session.ts";
import { useCall, type Write } from "./write.ts";

/** A session of the user. */
export interface DeviceSession {
  readonly id: string;
  readonly created_at: string;
  /** The last token refresh, which happens once an hour while the session is used. */
  readonly last_seen_at: string;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: "aal1" | "aal2";
  readonly is_current: boolean;
}

const KEY = ["account", "sessions"];
const PATH = "/auth/v1/sessions";

export function useDeviceSessions(): ReadResult<readonly DeviceSession[]> {
  const query = useQuery<readonly DeviceSession[], Failure>({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const response = await callService(getClient(), PATH, { signal });
      return ((await response.json()) as { sessions: readonly DeviceSession[] }).sessions;
    },
    staleTime: 0,
  });
  return useReading(query);
}

export function useEndSession(): Write<string, boolean> {
  const queries = useQueryClient();
  return useCall(async (client, id) => {
    await callService(client, `${PATH}/${id}`, { method: "DELETE" });
    queries.setQueryData<readonly DeviceSession[]>(KEY, (all) => all?.filter((session) => session.id !== id));
  });
}

export function useEndOtherSessions(): Write<void, boolean> {
  return useCall(() => signOut("others"), KEY);
}
