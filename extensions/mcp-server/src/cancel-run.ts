import { hash } from "node:crypto";
import { invokeFunction } from "@swarmbase/sdk";
import { readRows } from "swarmbase/extension";
import type { Caller } from "./caller.ts";
import { isAnswerable } from "./errors.ts";

/**
 * The id of the message that a request stores. It makes a repeated request return the run of the first one, and finds that
 * run when a notification cancels the request, on whichever node.
 */
export function clientMessageId(sessionId: string, requestId: unknown): string | null {
  if (typeof requestId !== "string" && typeof requestId !== "number") return null;
  return `mcp-${hash("sha256", JSON.stringify([sessionId, requestId]), "base64url")}`;
}

/** Cancels a run, also after the connection of its request was closed. */
export async function cancelRun({ core, fail }: Caller, runId: string): Promise<void> {
  try {
    await invokeFunction(core, "agent-respond", { action: "cancel", run_id: runId });
  } catch (error) {
    // The run has ended or was deleted, or belongs to somebody else.
    if (!isAnswerable(error)) fail("A run could not be cancelled", error);
  }
}

/** Cancels the run that a request with this id has started, if it is still active. */
export async function cancelStartedRun(caller: Caller, messageId: string | null): Promise<void> {
  if (messageId === null) return;
  const query = new URLSearchParams({
    select: "id,messages!runs_message_id_fkey!inner(client_message_id)",
    user_id: `eq.${caller.userId}`,
    status: "in.(queued,running,requires_action,waiting)",
    "messages.client_message_id": `eq.${messageId}`,
  });
  const runs = await readRows<{ id: string }>(caller.core, "/runs", query);
  for (const { id } of runs) await cancelRun(caller, id);
}
