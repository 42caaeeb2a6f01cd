import type { User } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import { callService } from "./call-service.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { signOut, useUser } from "./session.ts";
import { useCall, useWrite, type Write } from "./write.ts";

export type Settings = Row<"user_settings">;
type SettingsChange = Database["public"]["Tables"]["user_settings"]["Update"];

export function useProfile(): ReadResult<Row<"profiles">> {
  const { id } = useUser();
  return useRows({
    table: "profiles",
    key: ["own", id],
    read: (client) => client.from("profiles").select("*").eq("id", id).single(),
  });
}

/** Sets the name in the profile, which other members of a swarm see, and in the user metadata, which the console shows. */
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

export function useSettings(): ReadResult<Settings> {
  const { id } = useUser();
  return useRows({
    table: "user_settings",
    key: ["own", id],
    read: (client) => client.from("user_settings").select("*").eq("user_id", id).single(),
  });
}

/** The budgets of the day that apply: of the user's own and those that the operator imposes, the smaller ones. Null means no limit. */
export function findDayBudgets(settings: Settings): { readonly tokens: number | null; readonly cost: number | null } {
  const least = (...limits: readonly (number | null)[]): number | null => {
    const set = limits.filter((limit) => limit !== null);
    return set.length === 0 ? null : Math.min(...set);
  };
  return {
    tokens: least(settings.daily_token_budget, settings.imposed_daily_token_budget),
    cost: least(settings.daily_cost_budget_usd, settings.imposed_daily_cost_budget_usd),
  };
}

export function useSaveSettings(): Write<SettingsChange, Settings> {
  const { id } = useUser();
  return useWrite({
    tables: ["user_settings"],
    write: (client, change) =>
      unwrap(client.from("user_settings").update(change).eq("user_id", id).select("*").single()),
  });
}

/** Returns the updated user, which keeps the old address until the new one is confirmed. */
export function useChangeEmail(): Write<string, User> {
  return useWrite({
    tables: ["profiles"],
    write: async (client, email) => {
      const options = { emailRedirectTo: `${location.origin}/welcome` };
      return (await unwrap(client.auth.updateUser({ email }, options))).user;
    },
  });
}

interface PasswordChange {
  /** Empty if the account has no password. */
  readonly current: string;
  readonly password: string;
}

/** Changing the password ends all other sessions. */
export function useChangePassword(): Write<PasswordChange, void> {
  return useWrite({
    tables: [],
    write: async (client, { current, password }) => {
      await unwrap(client.auth.updateUser({ password, ...(current !== "" && { current_password: current }) }));
    },
  });
}

type OwnerProof = { readonly current_password: string } | { readonly nonce: string };

/** Proves that the session belongs to the owner of the account, who can then change it. */
export function useProve(): Write<OwnerProof, boolean> {
  return useCall((client, proof) => unwrap(client.auth.updateUser(proof)));
}

/** Mails a code to prove it with. */
export function useSendCode(): Write<void, void> {
  return useWrite({
    tables: [],
    write: async (client) => {
      await unwrap(client.auth.reauthenticate());
    },
  });
}

/** Deletes the account, and ends the session of this browser, which the service has ended with it. */
export function useDeleteAccount(): Write<void, void> {
  return useWrite({
    tables: [],
    write: async (client) => {
      await callService(client, "/auth/v1/user", { method: "DELETE" });
      await signOut();
    },
  });
}
