import { createClient, type RealtimeChannel, type SupabaseClient } from "@supabase/supabase-js";
import type { Cleanup } from "../../support/database.ts";
import { WAIT_MS } from "../../support/wait-limit.ts";

export type Vsn = "1.0.0" | "2.0.0";

export interface SupabaseOptions {
  readonly vsn?: Vsn;
  readonly key?: string;
  /** Called when the client needs its token; without it, the client has only the key. */
  readonly token?: () => string;
}

/** The client as people install it. */
export function openSupabase(
  t: Cleanup,
  url: string,
  { vsn = "2.0.0", key = "anon", token }: SupabaseOptions = {},
): SupabaseClient {
  const client = createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    realtime: { vsn, reconnectAfterMs: () => 50, timeout: WAIT_MS },
    ...(token && { accessToken: async () => token() }),
  });
  t.after(async () => {
    await client.removeAllChannels();
    await client.realtime.disconnect();
  });
  return client;
}

/** Resolves when the channel is subscribed; rejects with any other status. */
export function subscribed(channel: RealtimeChannel): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === "SUBSCRIBED") resolve();
      else reject(error ?? new Error(status));
    });
  });
}
