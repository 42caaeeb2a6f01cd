import { createHash } from "node:crypto";
import { isKeyUsed, type Principal, readKeptResult, SELECT_KEPT_RESULT } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { type CallerPorts, runAsCaller, translateRejection } from "../run-as-caller.ts";
import { EMIT_EVENTS } from "../sql/app-events.ts";
import type { DataSchemas } from "./data-schemas.ts";

export interface EmitCall {
  readonly principal: Principal;
  /** As they were sent, with their further members. */
  readonly events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The `Idempotency-Key`; null: none. */
  readonly key: string | null;
}

export interface EmitPorts extends CallerPorts {
  readonly schemas: DataSchemas;
  /** Why a value does not satisfy a schema, as a sentence without its period; null: it does. */
  findFault(schema: Readonly<Record<string, unknown>>, value: unknown): string | null;
  /** Called after events were stored. */
  onEvents(): void;
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
  try {
    const emitted = { principal, isReadOnly: false, text: EMIT_EVENTS, values: [text, key, hash] };
    const ids = (await runAsCaller(ports, emitted))[0];
    ports.onEvents();
    return { ids: JSON.parse(ids ?? "[]") as string[], isReplay: false };
  } catch (error) {
    if (key === null || !isKeyUsed(error)) throw translateRejection(ports, error, principal);
  }
  const stored = { principal, isReadOnly: true, text: SELECT_KEPT_RESULT, values: [key, hash] };
  const kept = await runAsCaller(ports, stored).catch((error: unknown) => {
    throw translateRejection(ports, error, principal);
  });
  return { ids: readKeptResult(kept) as string[], isReplay: true };
}

async function requireSchemas({ schemas, findFault }: EmitPorts, { principal, events }: EmitCall): Promise<void> {
  const types = events.map(({ type }) => type);
  const known = await schemas.find(types, principal.role === "service_role");
  const faults = events.flatMap(({ type, data }, index) => {
    const schema = known.get(type);
    // Numbers that JavaScript would round are kept as texts, which no schema expects.
    const fault = schema === undefined ? null : findFault(schema, JSON.parse(JSON.stringify(data)));
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
