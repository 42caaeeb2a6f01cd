import { FRAMEWORKS, GUARDRAIL_ERROR_POLICIES, type GuardrailKind } from "@swarmbase/sdk";
import { RE2JS } from "re2js";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import { findResponseSchemaFault } from "../schemas/response-schema.ts";
import type { SchemaCompiler } from "../schemas/schema-compiler.ts";
import { measurePattern } from "../schemas/linear-pattern.ts";

export interface GuardrailFault {
  readonly path: string;
  /** Follows the name of the field. */
  readonly message: string;
  readonly isUrl?: boolean;
}

interface GuardrailCheckPorts {
  readonly schemas: SchemaCompiler;
  /** Checks an address without a DNS lookup. */
  findUrlFault(url: string): string | null;
}

type Check = (value: unknown, ports: GuardrailCheckPorts) => string | null;

const MAX_TEXT = 10_000;
const MAX_MODEL = 200;
const TIMEOUT_MS = { min: 100, max: 30_000 } as const;

const SHARED: Readonly<Record<string, Check>> = { replacement: text(0, MAX_TEXT) };
const ASKING: Readonly<Record<string, Check>> = { ...SHARED, on_error: oneOf(GUARDRAIL_ERROR_POLICIES) };

/** By kind: the member that it needs, and all members that it takes. The headers of a webhook are checked as those of webhooks. */
const KINDS: Readonly<
  Record<GuardrailKind, { readonly needs: string; readonly takes: Readonly<Record<string, Check>> }>
> = {
  pattern: { needs: "pattern", takes: { ...SHARED, pattern: findPatternFault } },
  schema: {
    needs: "schema",
    takes: {
      ...SHARED,
      schema: (value, { schemas }) =>
        isRecord(value) ? findResponseSchemaFault(schemas, value) : "must be a JSON Schema",
    },
  },
  model: {
    needs: "policy",
    takes: { ...ASKING, policy: text(1, MAX_TEXT), framework: oneOf(FRAMEWORKS), model: text(1, MAX_MODEL) },
  },
  webhook: { needs: "url", takes: { ...ASKING, url: findUrlFault, headers: () => null, timeout_ms: findTimeoutFault } },
};

/** An update may lack the kind, which then follows from the member that only one kind has. */
export function findConfigFaults(
  ports: GuardrailCheckPorts,
  kind: GuardrailKind | null,
  config: JsonRecord,
): readonly GuardrailFault[] {
  const rows = kind === null ? Object.values(KINDS).filter(({ needs }) => Object.hasOwn(config, needs)) : [KINDS[kind]];
  const [row] = rows;
  if (row === undefined || rows.length > 1)
    return [{ path: "", message: "must have one of pattern, schema, policy and url" }];
  if (!Object.hasOwn(config, row.needs)) return [{ path: row.needs, message: "is required" }];
  return Object.entries(config).flatMap(([path, value]): GuardrailFault[] => {
    const check = Object.hasOwn(row.takes, path) ? row.takes[path] : undefined;
    const message = check === undefined ? "is not known for this kind of guardrail" : check(value, ports);
    return message === null ? [] : [{ path, message, isUrl: path === "url" }];
  });
}

function text(min: number, max: number): Check {
  return (value) => {
    const length = typeof value === "string" ? Array.from(value).length : -1;
    return length >= min && length <= max ? null : `must be a text of ${min} to ${max} characters`;
  };
}

function oneOf(allowed: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && allowed.includes(value) ? null : `must be one of ${allowed.join(", ")}`;
}

function findPatternFault(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return "must be a pattern";
  const measured = measurePattern(value);
  if (!measured.ok) return measured.fault;
  return RE2JS.compile(value).test("") ? "must not match the empty text" : null;
}

function findUrlFault(value: unknown, ports: GuardrailCheckPorts): string | null {
  return typeof value === "string" && value !== "" ? ports.findUrlFault(value) : "must be an HTTPS URL";
}

function findTimeoutFault(value: unknown): string | null {
  const { min, max } = TIMEOUT_MS;
  const isValid = Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  return isValid ? null : `must be an integer from ${min} to ${max}`;
}
