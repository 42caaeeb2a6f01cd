import type { PasskeyListItem } from "@supabase/supabase-js";
import { useQuery } from "@tanstack/react-query";
import { getClient } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { unwrapCeremony } from "./webauthn.ts";
import { useWrite, type Write } from "./write.ts";

export type Passkey = PasskeyListItem;

const KEY = ["account", "passkeys"];

export function usePasskeys(isOn: boolean): ReadResult<readonly Passkey[]> {
  const query = useQuery<readonly Passkey[], Failure>({
    queryKey: KEY,
    queryFn: () => unwrap(getClient().auth.passkey.list()),
    enabled: isOn,
  });
  return useReading(query);
}

/** The browser asks the user to confirm. */
export function useAddPasskey(): Write<void, unknown> {
  return useWrite({
    tables: [],
    reloads: KEY,
    write: (client) => unwrapCeremony(client.auth.registerPasskey()),
  });
}

export function useRenamePasskey(): Write<{ readonly passkeyId: string; readonly friendlyName: string }, unknown> {
  return useWrite({
    tables: [],
    reloads: KEY,
    write: (client, change) => unwrap(client.auth.passkey.update(change)),
  });
}

export function useRemovePasskey(): Write<string, boolean> {
  return useWrite({
    tables: [],
    reloads: KEY,
    write: async (client, passkeyId) => {
      await unwrap(client.auth.passkey.delete({ passkeyId }));
      return true;
    },
  });
}
