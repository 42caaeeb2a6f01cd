import { AGENT_SETTINGS, GUARDRAIL_LIMIT, WEBHOOK_LIMIT_PER_USER } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";
import { isWriteAttempt, type WriteAttempt } from "../../rest/index.ts";
import { faultsError } from "../faults-error.ts";
import type { NamedFault } from "../fields/field.ts";
import { isSwarmSetting } from "../rules/swarm-settings.ts";
import type { TableRule } from "../rules/table-rule.ts";
import { SECRET_IS_MANAGED } from "../rules/webhook-rules.ts";
import { placeOf, type RejectedAttempt } from "./rejected-attempt.ts";

const MESSAGES: Readonly<Record<string, string>> = {
  length: "is too short or too long",
  size: "is too large",
  range: "is out of range",
  known: "is not one of the values allowed",
  object: "must be a JSON object",
  http: "must be an http or https URL",
  https: "must be an HTTPS URL",
  format: "has the wrong form",
  count: "has too many entries",
  not_empty: "must not be empty",
  present: "is required",
  immutable: "cannot be changed",
};

const CODES: ReadonlyMap<string, NamedFault> = new Map([
  ["agents_framework_known", "INVALID_FRAMEWORK"],
  ["webhooks_url_https", "INVALID_URL"],
  ["webhooks_events_known", "INVALID_EVENTS"],
  ["event_feeds_events_known", "INVALID_EVENTS"],
]);

/** A check of the table or of a trigger, by its name. */
export function explainCheck(rejection: RejectedAttempt): AppError | null {
  const { error, attempt, rule } = rejection;
  const { constraint } = error;
  if (rule === null || constraint === undefined || !isWriteAttempt(attempt)) return null;
  if (constraint === "agents_limit_per_user")
    return new AppError("AGENT_LIMIT_REACHED", sentence(error.message), { cause: error });
  if (constraint === "webhooks_limit_per_user") {
    const details = { user_id: `has the most webhooks that a user may have, ${WEBHOOK_LIMIT_PER_USER}` };
    return new AppError("VALIDATION_ERROR", sentence(error.message), { details, cause: error });
  }
  if (constraint === "guardrails_limit_per_owner") {
    const details = { agent_id: `or swarm_id has the most guardrails that it may have, ${GUARDRAIL_LIMIT}` };
    return new AppError("VALIDATION_ERROR", sentence(error.message), { details, cause: error });
  }
  if (constraint === "messages_content_blocked") {
    const details = { [placeOf(rejection, "content")]: "has a term that is blocked" };
    return new AppError("CONTENT_BLOCKED", sentence(error.message), { details, cause: error });
  }
  if (constraint === "agents_model_offered") return explainModel(rejection);
  if (constraint === `${rule.name}_filter_valid`) return explainFilter(rejection, attempt.operation);
  const found = fieldOfConstraint(rule, constraint);
  if (found === null) return null;
  const message = describeRejected(constraint, error) ?? describe(found.kind, error.column, error.message);
  const fault = { place: placeOf(rejection, found.field), message, code: CODES.get(constraint) ?? null };
  return faultsError([fault], attempt.operation);
}

/** What the trigger says of a value that no other kind of rule describes as well. */
function describeRejected(constraint: string, { column, message }: RejectedAttempt["error"]): string | null {
  if (constraint === "webhooks_secret_managed") return SECRET_IS_MANAGED;
  return column === "events" ? message : null;
}

/** PostgreSQL never reports a column for its own checks, so an error with a column was raised by a trigger, whose message can be shown. */
function describe(kind: string, column: string | undefined, message: string): string {
  const known = Object.hasOwn(MESSAGES, kind) ? MESSAGES[kind] : undefined;
  return known ?? (column === undefined ? "is not valid" : `is not valid: ${message}`);
}

/** The detail has a message for each path. */
function explainFilter(rejection: RejectedAttempt, operation: WriteAttempt["operation"]): AppError {
  const faults = JSON.parse(rejection.error.detail ?? "{}") as Record<string, string>;
  const placed = Object.entries(faults).map(([path, message]) => ({
    place: placeOf(rejection, path),
    message,
    code: null,
  }));
  return faultsError(placed, operation);
}

function explainModel(rejection: RejectedAttempt): AppError {
  const { error } = rejection;
  const { framework } = JSON.parse(error.detail ?? "{}") as { framework?: string };
  return new AppError("INVALID_MODEL", sentence(error.message), {
    details: { [placeOf(rejection, "model")]: `is not offered by ${framework}` },
    hint: error.hint ?? null,
    cause: error,
  });
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface ConstrainedField {
  /** Dotted where the constraint is about a key of the field. */
  readonly field: string;
  /** The rest of the name: the kind of rule. */
  readonly kind: string;
}

/** Constraints are named `<table>_<column>_<kind>`, or contain the column later; the longest match counts. */
function fieldOfConstraint(rule: TableRule, constraint: string): ConstrainedField | null {
  if (!constraint.startsWith(`${rule.name}_`)) return null;
  const rest = constraint.slice(rule.name.length + 1);
  const columns = Object.keys(rule.fields).toSorted((left, right) => right.length - left.length);
  for (const column of columns) {
    if (rest !== column && !rest.startsWith(`${column}_`)) continue;
    const kind = rest.slice(column.length + 1);
    return column === "settings" && isSetting(rule, kind)
      ? { field: `${column}.${kind}`, kind: "range" }
      : { field: column, kind };
  }
  const inside = columns.find((column) => `_${rest}_`.includes(`_${column}_`));
  return inside === undefined ? null : { field: inside, kind: "" };
}

function isSetting({ name }: TableRule, key: string): boolean {
  return (name === "agents" && Object.hasOwn(AGENT_SETTINGS, key)) || (name === "swarms" && isSwarmSetting(key));
}
