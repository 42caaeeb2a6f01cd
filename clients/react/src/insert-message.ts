import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database, Message } from "@swarmbase/sdk";

/** Stores a message. Sent again, it is found by its id of this client. */
export async function insertMessage(
  client: SupabaseClient<Database>,
  row: Database["public"]["Tables"]["messages"]["Insert"],
): Promise<Message> {
  const { data, error } = await client.from("messages").insert(row).select().single();
  if (error === null) return data;
  const { data: stored } = await client
    .from("messages")
    .select("*")
    .eq("swarm_id", row.swarm_id)
    .eq("client_message_id", row.client_message_id ?? "")
    .maybeSingle();
  if (stored === null) throw error;
  return stored;
}
