import { findOutboundFault, type GuardedFetch } from "@swarmbase/guarded-fetch";
import { API_VERSION, GUARDRAIL_DEFAULTS, type GuardrailRequest, type GuardrailResponse } from "@swarmbase/sdk";
import { isRecord } from "../../json/index.ts";
import type { Clock } from "../../time/index.ts";
import { readResponseText } from "../tools/http/read-answer.ts";
import { type CheckSubject, type Guardrail, GuardrailFailure } from "./guardrail.ts";

export interface WebhookPorts {
  readonly guarded: Pick<GuardedFetch, "fetch">;
  readonly clock: Clock;
  newId(): string;
  /** The headers that sign a request, as those of webhooks. */
  sign(request: SignedRequest, body: string, timestampSeconds: number): Readonly<Record<string, string>>;
}

interface SignedRequest {
  readonly id: string;
  readonly type: string;
  readonly secret: string;
}

/** More than the longest text of a message, escaped. */
const MAX_RESPONSE_CHARS = 700_000;
const MAX_REPLACEMENT_CHARS = 100_000;
const USER_AGENT = "Swarmbase-Guardrails/1";

/** The verdict of the endpoint. It must arrive in time and be complete. */
export async function askWebhook(
  ports: WebhookPorts,
  { id: guardrailId, stage, config, secret }: Guardrail,
  text: string,
  { agent, messageId, runId, swarmId, signal }: CheckSubject,
): Promise<GuardrailResponse> {
  const { url, timeout_ms: timeoutMs, headers } = config;
  if (typeof url !== "string" || secret === null) throw new GuardrailFailure("its webhook is not configured");
  const now = ports.clock.now();
  const id = ports.newId();
  const request: GuardrailRequest = {
    id: `evt_${id}`,
    type: `guardrail.${stage}`,
    created_at: now.toISOString(),
    api_version: API_VERSION,
    data: {
      guardrail_id: guardrailId,
      text,
      swarm_id: swarmId,
      agent_id: agent.id,
      run_id: runId,
      message_id: messageId,
    },
  };
  const body = JSON.stringify(request);
  const deadline = AbortSignal.timeout(typeof timeoutMs === "number" ? timeoutMs : GUARDRAIL_DEFAULTS.timeoutMs);
  try {
    const response = await ports.guarded.fetch(url, {
      method: "POST",
      headers: {
        ...(isRecord(headers) && (headers as Record<string, string>)),
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": USER_AGENT,
        ...ports.sign({ id, type: request.type, secret }, body, Math.floor(now.getTime() / 1_000)),
      },
      body,
      signal: AbortSignal.any([signal, deadline]),
    });
    const { text: answer, isCut } = await readResponseText(response, MAX_RESPONSE_CHARS);
    if (!response.ok) throw new GuardrailFailure(`its webhook answered with status ${response.status}`);
    const read = isCut ? null : readResponse(answer);
    if (read === null) throw new GuardrailFailure("its webhook gave no valid answer");
    return read;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GuardrailFailure) throw error;
    if (deadline.aborted) throw new GuardrailFailure("its webhook did not answer in time", error);
    throw new GuardrailFailure(`its webhook could not be reached: ${findOutboundFault(error).code}`, error);
  }
}

function readResponse(text: string): GuardrailResponse | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const { allowed, reason, replacement } = value;
  if (typeof allowed !== "boolean" || !isOptionalText(reason) || !isOptionalText(replacement)) return null;
  if ((replacement?.length ?? 0) > MAX_REPLACEMENT_CHARS) return null;
  return { allowed, ...(reason !== undefined && { reason }), ...(replacement !== undefined && { replacement }) };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
