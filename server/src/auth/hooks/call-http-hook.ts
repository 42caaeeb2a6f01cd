import { createHmac } from "node:crypto";
import { findOutboundFault, type GuardedFetch } from "@swarmbase/guarded-fetch";
import { isRecord, readJson } from "../../json/index.ts";
import type { Clock } from "../../time/index.ts";
import { HookFault, timedOut, tooLarge } from "./hook-fault.ts";
import type { HookTarget } from "./hook-target.ts";

/** More than the claims of the largest token. */
export const MAX_ANSWER_BYTES = 98_304;
const USER_AGENT = "Swarmbase-Hooks/1";

export interface HttpHookPorts {
  readonly guarded: Pick<GuardedFetch, "fetch">;
  readonly clock: Clock;
}

interface HttpCall extends Pick<HookTarget, "timeoutMs"> {
  readonly url: string;
  readonly keys: readonly Buffer[];
  readonly id: string;
  readonly body: string;
}

/** Returns the text of the answer. A hook can give its decision with any status. */
export async function callHttpHook({ guarded, clock }: HttpHookPorts, called: HttpCall): Promise<string> {
  const { url, body, timeoutMs } = called;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await guarded.fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": USER_AGENT,
        ...sign(called, Math.floor(clock.now().getTime() / 1_000)),
      },
      body,
      signal: deadline,
    });
    const text = await readBounded(response.body);
    const isJson = /^application\/json\s*(?:;|$)/i.test(response.headers.get("content-type") ?? "");
    if (!response.ok && !(isJson && hasError(text))) throw new HookFault(`status ${response.status}`);
    if (text !== "" && !isJson)
      throw new HookFault("answer not JSON by its content type", { code: "hook_payload_invalid_content_type" });
    return text;
  } catch (error) {
    if (error instanceof HookFault) throw error;
    if (deadline.aborted) throw timedOut(error);
    throw new HookFault(findOutboundFault(error).code.replaceAll("_", " "), { cause: error });
  }
}

/** As the Standard Webhooks specification defines it: one signature for each secret. */
function sign({ id, body, keys }: HttpCall, timestampSeconds: number): Record<string, string> {
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures.join(" "),
  };
}

async function readBounded(body: Awaited<ReturnType<GuardedFetch["fetch"]>>["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body === null) return "";
  // Leaving the loop closes the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function hasError(text: string): boolean {
  const reading = readJson(text);
  return reading.fault === null && isRecord(reading.value) && isRecord(reading.value["error"]);
}
