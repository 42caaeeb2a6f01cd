import { createHash } from "node:crypto";
import {
  type Database,
  isKeyUsed,
  type Principal,
  readCallRejection,
  readKeptResult,
  runPipelined,
  scopeOf,
  SELECT_KEPT_RESULT,
} from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { EMIT_EVENTS } from "../sql/app-events.ts";
import type { DataSchemas } from "./data-schemas.ts";

export interface EmitCall {
  readonly principal: Principal;
  /** As they were sent, with their further members. */
  readonly events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The `Idempotency-Key`; null: none. */
  readonly key: string | null;
}

export interface EmitPorts {
  readonly database: Pick<Database, "user" | "service">;
  readonly schemas: DataSchemas;
  readonly statementTimeoutMs: number;
  /** Why a value does not satisfy a schema, as a sentence without its period; null: it does. */
  findFault(schema: Readonly<Record<string, unknown>>, value: unknown): string | null;
  /** Translates the errors with which a transaction as the principal begins. */
  translateEnter(error: unknown, principal: Principal): unknown;
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
    const ids = (await run(ports, principal, false, EMIT_EVENTS, [text, key, hash]))[0];
    ports.onEvents();
    return { ids: JSON.parse(ids ?? "[]") as string[], isReplay: false };
  } catch (error) {
    if (key === null || !isKeyUsed(error)) throw translate(ports, error, principal);
  }
  const kept = await run(ports, principal, true, SELECT_KEPT_RESULT, [key, hash]).catch((error: unknown) => {
    throw translate(ports, error, principal);
  });
  return { ids: readKeptResult(kept) as string[], isReplay: true };
}

/** The first row of the statement, in a transaction as the principal. */
async function run(
  { database, statementTimeoutMs }: EmitPorts,
  principal: Principal,
  isReadOnly: boolean,
  text: string,
  values: readonly (string | null)[],
): Promise<readonly (string | null)[]> {
  const scope = scopeOf(principal, {
    schemas: ["public"],
    statementTimeoutMs,
    isReadOnly,
    request: { method: "POST", path: "/functions/v1/events", headers: {} },
  });
  const pool = principal.role === "service_role" ? database.service : database.user;
  const [result] = await runPipelined(pool, { scope, statements: [{ text, values }] });
  return result?.rows[0] ?? [];
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

function translate({ translateEnter }: EmitPorts, error: unknown, principal: Principal): unknown {
  return readCallRejection(error) ?? translateEnter(error, principal);
}
