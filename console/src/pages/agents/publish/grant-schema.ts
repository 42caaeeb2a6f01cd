import { isSameJson, type Json } from "@swarmbase/sdk";
import type { Grant, GrantColumns } from "../../../data/agent-grants.ts";
import type { JsonSchema } from "../../../components/json-schema.ts";
import type { FormValue } from "../../../components/schema-form.tsx";
import type { Choice } from "../../../components/select.tsx";

const AUDIENCES = [
  { const: "user", title: "One user" },
  { const: "claim", title: "Accounts with a claim" },
  { const: "everyone", title: "Everyone who is signed in" },
];
const PEOPLE = [
  { const: "owner", title: "You, the owner" },
  { const: "asker", title: "The customer" },
];
const TRANSCRIPTS = [
  { const: "private", title: "The customer alone" },
  { const: "owner", title: "The customer and you" },
];
const RUNS = { type: "integer", minimum: 0 };
const COST = { type: "number", minimum: 0 };
const FLAG = { type: "boolean", default: false };
const OPTIONAL = ["runs_per_day", "cost_per_day", "total_runs_per_day", "total_cost_per_day", "expires_at"];

/** What the form of a grant has in place of a version for the agent as it is: a choice that is not empty. */
export const AS_IT_IS = "as it is";

/** The columns of a stored or a new grant as its form has them: the claim and the version are texts. */
export function formOfGrant(base: Grant | null): FormValue {
  const {
    agent_version: version,
    claim,
    ...columns
  } = base ?? {
    audience: "user",
    claim: { plan: "pro" },
    agent_version: null,
    transcripts: "private",
    payer: "owner",
    approver: "owner",
  };
  return { ...columns, agent_version: String(version ?? AS_IT_IS), claim: JSON.stringify(claim) };
}

/** Whom a grant is for cannot change, so the form of a stored one does not ask for it. */
export function describeForm({ audience }: FormValue, isNew: boolean, versions: readonly Choice[]): JsonSchema {
  const properties: JsonSchema["properties"] = {
    ...(isNew && { audience: { title: "For", oneOf: AUDIENCES } }),
    ...(isNew &&
      audience === "user" && {
        user_id: { title: "User id", type: "string", description: "The user is asked first." },
      }),
    ...(audience === "claim" && {
      claim: { title: "Claim", description: "JSON that the app_metadata of the account contains.", type: "string" },
      priority: {
        title: "Priority",
        description: "Of several claims that match, the highest applies.",
        type: "integer",
        default: 0,
      },
    }),
    agent_version: {
      title: "Version",
      description: "A pinned version stays as it is when you edit the agent.",
      oneOf: versions.map(({ value, label }) => ({ const: value, title: label })),
    },
    transcripts: { title: "Who reads the conversations", oneOf: TRANSCRIPTS },
    payer: { title: "Who pays", oneOf: PEOPLE },
    approver: { title: "Who approves tool calls", oneOf: PEOPLE },
    runs_per_day: { title: "Runs a day of each customer", description: "0 blocks at once.", ...RUNS },
    cost_per_day: { title: "US dollars a day of each customer", ...COST },
    total_runs_per_day: { title: "Runs a day of all", ...RUNS },
    total_cost_per_day: { title: "US dollars a day of all", ...COST },
    expires_at: { title: "Ends", type: "string", format: "date-time" },
    include_anonymous: { title: "Also anonymous users", ...FLAG },
    shows_owner: { title: "Show my name", ...FLAG },
    accepts_messages: { title: "Accept a list of messages in place of the stored conversation", ...FLAG },
    accepts_client_tools: { title: "Accept tools of the customer’s app", ...FLAG },
  };
  return { properties, required: Object.keys(properties).filter((name) => !OPTIONAL.includes(name)) };
}

/** The columns that differ from those of the row; all of them that are set for a new one. The service checks the values. */
export function renderGrant({ properties = {} }: JsonSchema, form: FormValue, base: Grant | null): GrantColumns {
  const columns = Object.entries(properties).map(([name, { default: initial = null }]): [string, Json] => {
    const value = (form[name] ?? initial) as Json;
    if (name === "agent_version") return [name, value === AS_IT_IS ? null : Number(value)];
    if (typeof value !== "string") return [name, value];
    return [name, name === "claim" ? readJson(value) : value.trim()];
  });
  return Object.fromEntries(
    columns.filter(([name, value]) => !isSameJson(value, base === null ? null : (base[name as keyof Grant] as Json))),
  );
}

/** What is no JSON stays a text. The service rejects what is no object. */
function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
