import type { PasskeyListItem } from "@supabase/supabase-js";
import { useQuery } from "@tanstack/react-query";
import { getClient } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { unwrapCeremony } from "./webauthn.ts";
import { useCall, type Write } from "./write.ts";

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
export function useAddPasskey(): Write<void, boolean> {
  return useCall((client) => unwrapCeremony(client.auth.registerPasskey()), KEY);
}

export function useRenamePasskey(): Write<{ readonly passkeyId: string; readonly friendlyName: string }, boolean> {
  return useCall((client, change) => unwrap(client.auth.passkey.update(change)), KEY);
}

export function useRemovePasskey(): Write<string, boolean> {
  return useCall((client, passkeyId) => unwrap(client.auth.passkey.delete({ passkeyId })), KEY);
}
