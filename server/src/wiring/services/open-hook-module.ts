import { type AddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import { type AuthHooks, openHooks } from "../../auth/index.ts";
import { openHookPool } from "../../db/index.ts";
import type { OpenNodeContext } from "../node-context.ts";

const HOOK_CONNECTIONS = 64;

/** The hooks with their connections. Without configured hooks there are none. */
export function openHookModule(
  { settings, database, server, masterKey, clock, observer, closers }: OpenNodeContext,
  { policy, ca }: { readonly policy: AddressPolicy; readonly ca: readonly string[] },
): AuthHooks {
  const { hooks, close } = openHooks({
    settings,
    pool: database.service,
    openPool: () => openHookPool(server.directUrl, masterKey),
    openFetch: (exemptUrls) => openGuardedFetch({ policy, ca, connectionsPerOrigin: HOOK_CONNECTIONS, exemptUrls }),
    clock,
    observer,
  });
  closers.add("connections of hooks", close);
  return hooks;
}
