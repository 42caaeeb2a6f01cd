import { randomUUID } from "node:crypto";
import { type HttpTarget, openConnection, renderRequest } from "../load/http-connection.ts";
import { pause, sendOnce } from "./requests.ts";

const CALLERS = 50;
const CALL_EVERY_MS = 25;

interface TriggerOwner {
  readonly target: HttpTarget;
  readonly headers: Readonly<Record<string, string>>;
  readonly briefAgentId: string;
}

/** With the default limit of the trigger: 60 calls a minute start runs, the others are shed. */
export async function callTrigger(
  { target, headers, briefAgentId }: TriggerOwner,
  signal: AbortSignal,
  count: (status: number) => void,
): Promise<void> {
  const [id, secret] = [randomUUID(), randomUUID()];
  const row = { id, name: "Storm", agent_id: briefAgentId, message: "Go on.", verification: "bearer" };
  for (const [path, body] of [
    ["/rest/v1/triggers", row],
    ["/functions/v1/triggers", { action: "set_secret", trigger_id: id, secret }],
  ] as const) {
    const request = renderRequest(target, { method: "POST", path, headers, body: JSON.stringify(body) });
    count(await sendOnce(target, request, signal));
  }
  const signed = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const call = renderRequest(target, { method: "POST", path: `/triggers/v1/${id}`, headers: signed, body: "{}" });
  const send = async (): Promise<void> => {
    const connection = await openConnection(target);
    while (!signal.aborted) {
      const startedAtMs = performance.now();
      count(await connection.send(call));
      await pause(Math.max(0, startedAtMs + CALL_EVERY_MS - performance.now()), signal);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CALLERS }, send));
}
