// Examples that the compiler has to accept or reject; never run.
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database, RunStatus } from "@swarmbase/sdk";
import { SwarmChatTransport, type SwarmUIMessage } from "@swarmbase/sdk/ai";
import type { ChatTransport, UIMessage } from "ai";

export function transports(client: SupabaseClient<Database>, untyped: SupabaseClient): ChatTransport<UIMessage>[] {
  const typed: ChatTransport<SwarmUIMessage> = new SwarmChatTransport({ client, swarmId: "id", cancelOnStop: false });
  // @ts-expect-error: the client is required
  new SwarmChatTransport({ swarmId: "id" });
  // @ts-expect-error: no such option
  new SwarmChatTransport({ client, api: "/api/chat" });
  // @ts-expect-error: not a client
  new SwarmChatTransport({ client: fetch });
  void typed;
  return [new SwarmChatTransport<UIMessage>({ client: untyped })];
}

export function read({ parts, metadata }: SwarmUIMessage): string {
  const status: RunStatus | undefined = metadata?.status;
  for (const part of parts) {
    if (part.type === "data-turn") return part.data.agentName;
    if (part.type === "data-error") return part.data.code;
    // @ts-expect-error: no such part
    if (part.type === "data-agent") return "";
  }
  return status ?? "";
}
