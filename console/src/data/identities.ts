import type { Provider, UserIdentity } from "@supabase/supabase-js";
import { useQuery } from "@tanstack/react-query";
import { getClient } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { useCall, type Write } from "./write.ts";

export type { UserIdentity } from "@supabase/supabase-js";

const KEY = ["account", "identities"];

/** The accounts elsewhere with which the user signs in, and the e-mail address. */
export function useIdentities(): ReadResult<readonly UserIdentity[]> {
  const query = useQuery<readonly UserIdentity[], Failure>({
    queryKey: KEY,
    queryFn: async () => (await unwrap(getClient().auth.getUserIdentities())).identities,
  });
  return useReading(query);
}

/** Leaves the page for the provider, which sends the browser back to it. */
export function useLinkIdentity(): Write<string, boolean> {
  return useCall((client, provider) => {
    const redirectTo = `${location.origin}${location.pathname}`;
    return unwrap(client.auth.linkIdentity({ provider: provider as Provider, options: { redirectTo } }));
  });
}

export function useUnlinkIdentity(): Write<UserIdentity, boolean> {
  return useCall((client, identity) => unwrap(client.auth.unlinkIdentity(identity)), KEY);
}
