import { GUARDRAIL_ACTIONS, GUARDRAIL_KINDS, GUARDRAIL_STAGES, type GuardrailKind } from "@swarmbase/sdk";
import { isRecord } from "../../json/index.ts";
import { type Fault, nullable, type Row, valueOf } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { boolean, integer } from "../fields/plain-fields.ts";
import { choice, trimmedText } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { checkDeliveryHeaders } from "./check-delivery-headers.ts";
import { type RowFault, rowFault, type TableRule, tableRule } from "./table-rule.ts";

/** The check of configurations that the agents module provides. */
export interface GuardrailChecks {
  findGuardrailFaults(
    kind: GuardrailKind | null,
    config: Row,
  ): readonly { readonly path: string; readonly message: string; readonly isUrl?: boolean }[];
}

export function guardrailRule(checks: GuardrailChecks | null): TableRule {
  return tableRule({
    name: "guardrails",
    required: ["name", "kind", "stage", "config"],
    // A secret has no effect either, so that a row can be sent back as it was read.
    ignored: ["created_at", "updated_at", "secret"],
    checkNewRow: (row) => [...checkOwner(row), ...checkKind(row, checks)],
    fields: {
      id: uuid(),
      agent_id: nullable(uuid()),
      swarm_id: nullable(uuid()),
      name: trimmedText("guardrails.name"),
      kind: choice(GUARDRAIL_KINDS),
      stage: choice(GUARDRAIL_STAGES),
      action: choice(GUARDRAIL_ACTIONS),
      config: jsonObject("guardrails.config", (config) => checkConfig(config, null, checks)),
      position: integer("guardrails.position"),
      is_active: boolean(),
    },
  });
}

function checkConfig(config: Row, kind: GuardrailKind | null, checks: GuardrailChecks | null): readonly Fault[] {
  const faults = (checks?.findGuardrailFaults(kind, config) ?? []).map(({ path, message, isUrl = false }) => ({
    path,
    message,
    code: isUrl ? ("INVALID_URL" as const) : null,
  }));
  const headers = valueOf(config, "headers");
  if (headers === undefined) return faults;
  if (!isRecord(headers)) return [...faults, { path: "headers", message: "must be a JSON object", code: null }];
  const ofHeaders = checkDeliveryHeaders(headers);
  return [...faults, ...ofHeaders.map((each) => ({ ...each, path: joined("headers", each.path) }))];
}

function joined(path: string, inner: string): string {
  return inner === "" ? path : `${path}.${inner}`;
}

function checkOwner(row: Row): readonly RowFault[] {
  const isSet = (column: string): boolean => (valueOf(row, column) ?? null) !== null;
  if (isSet("agent_id") !== isSet("swarm_id")) return [];
  return rowFault("agent_id", "or swarm_id is required, and not both");
}

/** The configuration alone is checked for the kind that it seems to have. */
function checkKind(row: Row, checks: GuardrailChecks | null): readonly RowFault[] {
  const kind = GUARDRAIL_KINDS.find((each) => each === valueOf(row, "kind"));
  const config = valueOf(row, "config");
  if (kind === undefined || checks === null || !isRecord(config)) return [];
  if (checkConfig(config, null, checks).length > 0) return [];
  return checkConfig(config, kind, checks).map((each) => ({ ...each, field: "config" }));
}
