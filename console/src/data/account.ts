import type { User } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type Reading, useRows } from "./rows.ts";
import { useUser } from "./session.ts";
import { useWrite, type Write } from "./write.ts";

export type Settings = Row<"user_settings">;
export type SettingsChange = Database["public"]["Tables"]["user_settings"]["Update"];

export function useProfile(): Reading<Row<"profiles">> {
  const { id } = useUser();
  return useRows({
    table: "profiles",
    key: ["own", id],
    ask: (client, signal) => client.from("profiles").select("*").eq("id", id).abortSignal(signal).single(),
  });
}

/** The name stands in the profile, where others of a swarm see it, and in the account, where the console greets by it. */
export function useRename(): Write<string, void> {
  const { id } = useUser();
  return useWrite({
    tables: ["profiles", "public_profiles"],
    write: async (client, name) => {
      await unwrap(
        client
          .from("profiles")
          .update({ full_name: name === "" ? null : name })
          .eq("id", id),
      );
      await unwrap(client.auth.updateUser({ data: { full_name: name } }));
    },
  });
}

export function useSettings(): Reading<Settings> {
  const { id } = useUser();
  return useRows({
    table: "user_settings",
    key: ["own", id],
    ask: (client, signal) => client.from("user_settings").select("*").eq("user_id", id).abortSignal(signal).single(),
  });
}

export function useSaveSettings(): Write<SettingsChange, Settings> {
  const { id } = useUser();
  return useWrite({
    tables: ["user_settings"],
    write: (client, change) =>
      unwrap(client.from("user_settings").update(change).eq("user_id", id).select("*").single()),
  });
}

/** The account as it is then: with the new address, or still with the old one while the new one is to be confirmed. */
export function useChangeEmail(): Write<string, User> {
  return useWrite({
    tables: ["profiles"],
    write: async (client, email) => {
      const options = { emailRedirectTo: `${location.origin}/welcome` };
      return (await unwrap(client.auth.updateUser({ email }, options))).user;
    },
  });
}

export interface PasswordChange {
  /** Empty where the account never had one. */
  readonly current: string;
  readonly password: string;
  /** The code from a mail, where the sign-in is too long ago to go without. */
  readonly nonce: string;
}

export const NEEDS_CODE = "reauthentication_needed";

/** Every other session ends. */
export function useChangePassword(): Write<PasswordChange, void> {
  return useWrite({
    tables: [],
    write: async (client, { current, password, nonce }) => {
      const attributes = {
        password,
        ...(current !== "" && { current_password: current }),
        ...(nonce !== "" && { nonce }),
      };
      await unwrap(client.auth.updateUser(attributes));
    },
  });
}

/** Sends the code that `useChangePassword` may ask for. */
export function useSendCode(): Write<void, void> {
  return useWrite({
    tables: [],
    write: async (client) => {
      await unwrap(client.auth.reauthenticate());
    },
  });
}
