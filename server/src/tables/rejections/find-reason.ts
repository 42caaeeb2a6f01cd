import { MEMBERSHIP_TEXTS } from "../../errors/index.ts";
import { type Row, valueOf } from "../fields/field.ts";
import { canonicalUuid } from "../fields/uuid-field.ts";
import type { WrittenRelation } from "../own-names.ts";
import type { Membership, TargetRow } from "../sql/owners.ts";

/** Input for explaining a write that a row-level rule rejected. */
export interface ReasonInput {
  readonly operation: "insert" | "update" | "delete";
  /** As sent; empty for a deletion. */
  readonly row: Row;
  readonly callerId: string;
  /** The caller's membership in the swarm of the row; null when the row has none. */
  readonly membership: Membership | null;
  /** The existing row that is changed or conflicts; null when there is none, or only its owner can see it. */
  readonly target: TargetRow | null;
  /** The written or addressed id belongs to another user's row. */
  readonly isOthers: boolean;
  /** The referenced tool; null when there is none. */
  readonly tool: TargetRow | null;
}

interface Reason {
  /** The field that the error is about. */
  readonly field: string;
  readonly message: string;
}

interface Rule {
  /** All operations when left out. */
  readonly on?: readonly ReasonInput["operation"][];
  readonly field: string;
  applies(input: ReasonInput): boolean;
  message(input: ReasonInput): string;
}

const CHANGE = ["update", "delete"] as const;
const WRITE = ["insert", "update"] as const;

function hasMembership(membership: keyof typeof MEMBERSHIP_TEXTS): Rule {
  return {
    field: "swarm_id",
    applies: (input) => input.membership === membership,
    message: () => MEMBERSHIP_TEXTS[membership],
  };
}

const MEMBERSHIP: readonly Rule[] = [hasMembership("stranger"), hasMembership("invited")];

/** For operations that only the owner and admins of a swarm may perform. */
function managersOnly(on: Rule["on"], rule: string): Rule {
  return {
    ...(on !== undefined && { on }),
    field: "swarm_id",
    applies: ({ membership }) => membership === "member" || membership === "viewer",
    message: ({ membership }) => `${rule}; your role is ${membership}`,
  };
}

function belongsToCaller(column: string, noun: string): Rule {
  return {
    on: WRITE,
    field: column,
    applies: ({ row, callerId }) => {
      const value = valueOf(row, column);
      return typeof value === "string" && canonicalUuid(value) !== callerId;
    },
    message: () => `${noun} belongs to the user who creates it: ${column} must be your own id`,
  };
}

function isOthers(noun: string): Rule {
  return { field: "id", applies: (input) => input.isOthers, message: () => `The ${noun} belongs to another user` };
}

function isMadeByService(noun: string): Rule {
  return {
    on: ["insert", "delete"],
    field: "id",
    applies: () => true,
    message: () => `${noun} are created and deleted with their account`,
  };
}

/** The reasons for which each table rejects a row; the first that applies is reported. The database decides; these explain. */
const REASONS: Readonly<Record<WrittenRelation, readonly Rule[]>> = {
  agents: [belongsToCaller("user_id", "An agent"), isOthers("agent")],
  webhooks: [belongsToCaller("user_id", "A webhook"), isOthers("webhook")],
  event_feeds: [belongsToCaller("user_id", "An event feed")],
  // Only the service role may write them, which PostgreSQL rejects before any rule of rows.
  event_types: [],
  tools: [
    belongsToCaller("owner_id", "A tool"),
    {
      on: WRITE,
      field: "kind",
      applies: ({ row }) => valueOf(row, "kind") === "builtin",
      message: () => "Built-in tools are part of the service; kind must be http or mcp",
    },
    {
      on: WRITE,
      field: "visibility",
      applies: ({ row }) => valueOf(row, "visibility") === "public",
      message: () => "Only the service role can make a tool public; visibility must be private or shared",
    },
    {
      field: "id",
      applies: ({ target }) => target?.state === "public",
      message: () => "The tool is public: everybody uses it, and only the service role or its owner can change it",
    },
    isOthers("tool"),
  ],
  agent_tools: [
    {
      on: ["insert"],
      field: "tool_id",
      applies: ({ tool }) => tool?.is_seen === false,
      message: () => "The tool is private: it must be your own, public, or shared by a member of one of your swarms",
    },
  ],
  agent_grants: [],
  swarms: [
    belongsToCaller("owner_id", "A swarm"),
    ...MEMBERSHIP,
    managersOnly(WRITE, "Only the owner and admins of a swarm can change it"),
    {
      on: ["delete"],
      field: "id",
      applies: ({ membership }) => membership !== null && membership !== "owner",
      message: ({ membership }) => `Only the owner of a swarm can delete it; your role is ${membership}`,
    },
  ],
  swarm_members: [
    {
      on: WRITE,
      field: "role",
      applies: ({ row }) => valueOf(row, "role") === "owner",
      message: () => "A swarm has one owner: the role owner cannot be given",
    },
    {
      on: CHANGE,
      field: "id",
      applies: ({ target }) => target?.state === "owner",
      message: () => "The membership of the owner of a swarm can be neither changed nor removed",
    },
    ...MEMBERSHIP,
    managersOnly(["insert"], "Only the owner and admins of a swarm can invite people"),
    managersOnly(CHANGE, "Only the owner and admins of a swarm can change or remove the memberships of others"),
  ],
  swarm_agents: [
    ...MEMBERSHIP,
    managersOnly(["insert"], "Only the owner and admins of a swarm can add agents to it"),
    managersOnly(CHANGE, "Only the owner and admins of a swarm can change or remove the agents of others in it"),
  ],
  messages: [
    ...MEMBERSHIP,
    { ...hasMembership("viewer"), on: WRITE },
    { on: ["update"], field: "id", applies: isNotOwn, message: () => "Only the author of a message can edit it" },
    managersOnly(["delete"], "Only its author, and the owner and admins of the swarm, can delete a message"),
  ],
  message_flags: [
    ...MEMBERSHIP,
    managersOnly(["update"], "Only the owner and admins of a swarm can resolve a flag"),
    {
      on: ["delete"],
      field: "id",
      applies: ({ target }) => target?.is_own === true,
      message: () => "A flag that was resolved can no longer be withdrawn",
    },
    {
      on: ["delete"],
      field: "id",
      applies: isNotOwn,
      message: () => "Only the person who raised a flag can withdraw it",
    },
  ],
  guardrails: [
    ...MEMBERSHIP,
    managersOnly(undefined, "Only the owner and admins of a swarm can change its guardrails"),
  ],
  profiles: [isMadeByService("Profiles")],
  read_positions: [belongsToCaller("user_id", "A read position"), ...MEMBERSHIP],
  user_settings: [isMadeByService("Settings")],
  eval_datasets: [belongsToCaller("user_id", "A dataset")],
  eval_cases: [belongsToCaller("user_id", "A case")],
  eval_runs: [belongsToCaller("user_id", "An eval run")],
  eval_results: [belongsToCaller("user_id", "A result")],
};

/** Null when no known rule explains the error: a user has added one to the database. */
export function findReason(table: string, input: ReasonInput): Reason | null {
  const rules: readonly Rule[] = Object.hasOwn(REASONS, table) ? REASONS[table as WrittenRelation] : [];
  const rule = rules.find(({ on, applies }) => (on?.includes(input.operation) ?? true) && applies(input));
  return rule === undefined ? null : { field: rule.field, message: rule.message(input) };
}

function isNotOwn({ target }: ReasonInput): boolean {
  return target?.is_own === false;
}
