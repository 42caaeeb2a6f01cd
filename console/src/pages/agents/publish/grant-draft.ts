import type { JsonObject } from "@swarmbase/sdk";
import type { Grant, GrantColumns } from "../../../data/agent-grants.ts";

type Texts =
  | "claim"
  | "user_id"
  | "priority"
  | "agent_version"
  | "runs_per_day"
  | "cost_per_day"
  | "total_runs_per_day"
  | "total_cost_per_day"
  | "expires_at";
type Choices = "audience" | "approver" | "payer" | "transcripts";
type Flags = "include_anonymous" | "accepts_messages" | "accepts_client_tools" | "shows_owner";

/** A grant as its form has it, by column: numbers, times and JSON are texts. */
export type GrantForm = Readonly<Record<Texts, string>> & Pick<Grant, Choices | Flags>;

const NEW: GrantForm = {
  audience: "user",
  claim: '{"plan": "pro"}',
  user_id: "",
  include_anonymous: false,
  priority: "0",
  agent_version: "",
  approver: "owner",
  payer: "owner",
  runs_per_day: "",
  cost_per_day: "",
  total_runs_per_day: "",
  total_cost_per_day: "",
  transcripts: "private",
  accepts_messages: false,
  accepts_client_tools: false,
  shows_owner: false,
  expires_at: "",
};
const MINUTE_MS = 60_000;

export function formOfGrant(grant: Grant | null): GrantForm {
  if (grant === null) return NEW;
  const textOf = (value: string | number | null): string => (value === null ? "" : String(value));
  return {
    audience: grant.audience,
    claim: grant.claim === null ? "" : JSON.stringify(grant.claim, null, 2),
    user_id: textOf(grant.user_id),
    include_anonymous: grant.include_anonymous,
    priority: textOf(grant.priority),
    agent_version: textOf(grant.agent_version),
    approver: grant.approver,
    payer: grant.payer,
    runs_per_day: textOf(grant.runs_per_day),
    cost_per_day: textOf(grant.cost_per_day),
    total_runs_per_day: textOf(grant.total_runs_per_day),
    total_cost_per_day: textOf(grant.total_cost_per_day),
    transcripts: grant.transcripts,
    accepts_messages: grant.accepts_messages,
    accepts_client_tools: grant.accepts_client_tools,
    shows_owner: grant.shows_owner,
    expires_at: grant.expires_at === null ? "" : toLocalTime(grant.expires_at),
  };
}

/** The columns that differ from those of the row; all of them for a new one. The service checks the values. */
export function renderGrant(form: GrantForm, base: Grant | null): Partial<GrantColumns> {
  const columns = renderColumns(form);
  if (base === null) return columns;
  const before = formOfGrant(base);
  const names = Object.keys(columns) as (keyof GrantForm)[];
  return Object.fromEntries(names.filter((name) => form[name] !== before[name]).map((name) => [name, columns[name]]));
}

function renderColumns(form: GrantForm): Pick<GrantColumns, keyof GrantForm> {
  const numberOf = (text: string): number | null => (text.trim() === "" ? null : Number(text));
  return {
    ...form,
    claim: form.audience === "claim" ? readJson(form.claim) : null,
    user_id: form.audience === "user" && form.user_id.trim() !== "" ? form.user_id.trim() : null,
    priority: numberOf(form.priority) ?? 0,
    agent_version: numberOf(form.agent_version),
    runs_per_day: numberOf(form.runs_per_day),
    cost_per_day: numberOf(form.cost_per_day),
    total_runs_per_day: numberOf(form.total_runs_per_day),
    total_cost_per_day: numberOf(form.total_cost_per_day),
    expires_at: form.expires_at === "" ? null : new Date(form.expires_at).toISOString(),
  };
}

/** What is no JSON stays a text. The service rejects what is no object. */
function readJson(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return text as unknown as JsonObject;
  }
}

/** As a field for a time in the user's time zone has it. */
function toLocalTime(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, "2026-11-15T12:00".length);
}
