import { createHash } from "node:crypto";
import { type Principal, readKeptResult, SELECT_KEPT_RESULT, toCallRejection } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { type CallerPorts, runAsCaller, translateCallError } from "../run-as-caller.ts";
import type { DataSchemas } from "./data-schemas.ts";
import type { EmitBatches } from "./emit-batches.ts";

export interface EmitCall {
  readonly principal: Principal;
  /** As they were sent, with their further members. */
  readonly events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The `Idempotency-Key`; null means that there is none. */
  readonly key: string | null;
}

export interface EmitPorts extends CallerPorts {
  readonly schemas: DataSchemas;
  readonly batches: EmitBatches;
}

export interface Emitted {
  /** As in the envelopes, in the order of the call. */
  readonly ids: readonly string[];
  /** The ids that an earlier call with the same key got. */
  readonly isReplay: boolean;
}

/** Emits events of the app with the rights of the caller: all of them or none. */
export async function emitEvents(ports: EmitPorts, call: EmitCall): Promise<Emitted> {
  const { principal, events, key } = call;
  await requireSchemas(ports, call);
  const text = JSON.stringify(events);
  const hash = key === null ? null : hashOf(call, text);
  const translate = (error: unknown): never => {
    throw translateCallError(ports, error, principal);
  };
  const answer = await ports.batches({ principal, text, key, hash }).catch(translate);
  if ("ids" in answer) return { ids: answer.ids, isReplay: false };
  if ("message" in answer) throw toCallRejection(answer.message, answer.detail) ?? new Error(answer.message);
  const stored = { principal, isReadOnly: true, text: SELECT_KEPT_RESULT, values: [key, hash] };
  const kept = await runAsCaller(ports, stored).catch(translate);
  return { ids: readKeptResult(kept) as string[], isReplay: true };
}

async function requireSchemas({ schemas }: EmitPorts, { principal, events }: EmitCall): Promise<void> {
  const isService = principal.role === "service_role";
  const checks = await schemas.find(new Set(events.map(({ type }) => type)), isService);
  const faults = events.flatMap(({ type, data }, index) => {
    const fault = checks.get(type)?.(data) ?? null;
    return fault === null ? [] : [[`events.${index}.data`, `does not satisfy the schema of ${type}: ${fault}`]];
  });
  if (faults.length === 0) return;
  throw new AppError("VALIDATION_ERROR", "An event does not satisfy the schema of its type", {
    details: Object.fromEntries(faults) as Record<string, string>,
  });
}

/** An API key may not see what its user, or another key, got as the response. */
function hashOf({ principal }: EmitCall, text: string): string {
  const hash = createHash("sha256").update(JSON.stringify(["events", principal.claims["api_key_id"]]));
  return `\\x${hash.update(text).digest("hex")}`;
}
