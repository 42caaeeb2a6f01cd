import { actsForAsker, FRAMEWORKS, type Json, type JsonObject } from "@swarmbase/sdk";
import { columnsOf, type ServiceDefaults } from "../model/fields.ts";
import { GRANT_TERMS, normaliseTerm } from "../model/grant-terms.ts";
import { isObject, memberOf } from "../model/json.ts";
import { KINDS, type Kind, OWNER_COLUMNS } from "../model/kinds.ts";
import { hasTarget } from "../model/targets.ts";
import { type Client, ServiceError } from "./client.ts";
import type { Session } from "./connect.ts";

const NOT_FOUND = 404;
const GRANT_COLUMNS = ["claim", ...Object.keys(GRANT_TERMS)];

/** A row of the owner as the service has it. */
export interface RemoteRow {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly updatedAt: string;
  /** The columns that files can have. */
  readonly columns: JsonObject;
  /** All columns. */
  readonly row: JsonObject;
}

export interface Assignment {
  readonly id: string;
  readonly agentId: string;
  readonly toolId: string;
  readonly enabled: boolean;
  readonly configuration: Json;
  readonly approver: string | null;
  readonly isVouched: boolean;
}

export interface SwarmAgent {
  readonly id: string;
  readonly swarmId: string;
  readonly agentId: string;
  readonly position: number;
  readonly enabled: boolean;
  readonly roleOverride: string | null;
}

export interface Member {
  readonly id: string;
  readonly swarmId: string;
  readonly userId: string | null;
  readonly email: string | null;
  readonly role: string;
  readonly isActive: boolean;
  readonly fullName: string | null;
}

/** Who may ask an agent. */
export interface Grant {
  readonly id: string;
  readonly agentId: string;
  readonly userId: string | null;
  /** Of the user; null for a caller who may not read it. */
  readonly email: string | null;
  readonly updatedAt: string;
  readonly audience: string;
  /** Claim and terms. */
  readonly columns: JsonObject;
}

/** A tool that the owner may assign but does not own. */
export interface OtherTool {
  readonly id: string;
  readonly name: string;
  readonly isBuiltin: boolean;
  readonly actsForAsker: boolean;
}

export interface Remote {
  readonly rows: readonly RemoteRow[];
  readonly assignments: readonly Assignment[];
  readonly grants: readonly Grant[];
  readonly swarmAgents: readonly SwarmAgent[];
  readonly members: readonly Member[];
  readonly otherTools: readonly OtherTool[];
  readonly defaults: ServiceDefaults;
}

/** Everything of the owner that files describe. The signing secrets of webhooks are not read. */
export async function readRemote({ client, owner, isService }: Session): Promise<Remote> {
  const readKind = async (kind: Kind): Promise<readonly RemoteRow[]> => {
    const ownerColumn = OWNER_COLUMNS[kind];
    if (ownerColumn === null && !isService) return [];
    const filter = {
      select: selectionOf(kind),
      ...(ownerColumn !== null && { [ownerColumn]: `eq.${owner.id}` }),
      // Those of single runs come and go with them.
      ...(kind === "webhooks" && { run_id: "is.null" }),
      // A call that names an agent creates the one, a run that an extension starts the other.
      ...(kind === "swarms" && { private_agent_id: "is.null", started_by: "is.null" }),
      // Those that agents make belong to a conversation.
      ...(kind === "schedules" && { created_by_agent_id: "is.null" }),
      ...(kind === "agents" && { "agent_grants.order": "created_at,id" }),
    };
    const rows = await client.listRows(kind, filter).catch((error: unknown) => {
      // The table of an extension that the service does not load.
      if (!hasTarget(kind) || !(error instanceof ServiceError) || error.status !== NOT_FOUND) throw error;
      return [] as readonly JsonObject[];
    });
    return rows.map((row) => toRemoteRow(kind, row));
  };
  const [kinds, assignments, swarmAgents, members, otherTools, defaults] = await Promise.all([
    Promise.all(KINDS.map(readKind)),
    client.listRows("agent_tools", {
      select: "id,agent_id,tool_id,enabled,configuration,approver,is_vouched",
      user_id: `eq.${owner.id}`,
    }),
    client.listRows("swarm_agents", {
      select: "id,swarm_id,agent_id,position,enabled,role_override,agents!inner()",
      "agents.user_id": `eq.${owner.id}`,
    }),
    client.listRows("swarm_members", {
      select: "id,swarm_id,user_id,invited_email,role,status,swarms!inner(owner_id),public_profiles(full_name)",
      "swarms.owner_id": `eq.${owner.id}`,
      role: "neq.owner",
    }),
    client.listRows("tools", {
      select: "id,name,kind,config",
      // The service role reads private tools of every user; only those that are meant for others are offered.
      or: isService ? "(owner_id.is.null,visibility.eq.public)" : `(owner_id.is.null,owner_id.neq.${owner.id})`,
    }),
    readDefaults(client),
  ]);
  const rows = kinds.flat();
  const grants = rows.flatMap(({ row }) => memberOf(row, "agent_grants") ?? []).filter(isObject);
  const emails = await readEmails(client, isService ? grants : []);
  const swarmIds = new Set(rows.filter(({ kind }) => kind === "swarms").map(({ id }) => id));
  return {
    rows,
    assignments: assignments.map(toAssignment),
    grants: grants.map((row) => toGrant(row, emails.get(row["user_id"]) ?? null)),
    swarmAgents: swarmAgents.map(toSwarmAgent).filter(({ swarmId }) => swarmIds.has(swarmId)),
    members: members.map(toMember),
    otherTools: otherTools.map((row) => ({
      id: textOf(row, "id"),
      name: textOf(row, "name"),
      isBuiltin: row["kind"] === "builtin",
      actsForAsker: actsForAsker({ kind: row["kind"], config: row["config"] }),
    })),
    defaults,
  };
}

/** As the column of the table has it: a framework without a list of models has no row here. */
async function readDefaults(client: Client): Promise<ServiceDefaults> {
  const query = "select=framework&is_default_framework=is.true&order=framework&limit=1";
  const framework = memberOf(memberOf(await client.call("GET", `/rest/v1/models?${query}`), 0), "framework");
  return { framework: typeof framework === "string" ? framework : FRAMEWORKS[0] };
}

const USERS_OF_REQUEST = 50;

/** By the id of the user. */
async function readEmails(
  client: Client,
  grants: readonly JsonObject[],
): Promise<Map<Json | undefined, string | null>> {
  const ids = [...new Set(grants.flatMap((row) => nullableTextOf(row, "user_id") ?? []))];
  const emails = new Map<Json | undefined, string | null>();
  for (let start = 0; start < ids.length; start += USERS_OF_REQUEST) {
    const named = ids.slice(start, start + USERS_OF_REQUEST).join(",");
    for (const row of await client.listRows("profiles", { select: "id,email", id: `in.(${named})` }))
      emails.set(row["id"], nullableTextOf(row, "email"));
  }
  return emails;
}

function selectionOf(kind: Kind): string {
  const extra = {
    event_types: [],
    tools: ["secret_names", "is_vouched"],
    agents: [`agent_grants(id,agent_id,user_id,updated_at,audience,${GRANT_COLUMNS.join(",")})`],
    swarms: ["coordinator_agent_id"],
    webhooks: ["disabled_reason"],
    event_feeds: [],
    schedules: ["paused_reason"],
    triggers: ["paused_reason"],
  };
  return ["id", "updated_at", ...columnsOf(kind).map(([name]) => name), ...extra[kind]].join(",");
}

function toRemoteRow(kind: Kind, row: JsonObject): RemoteRow {
  const columns = Object.fromEntries(columnsOf(kind).map(([name]) => [name, memberOf(row, name) ?? null]));
  return { kind, id: textOf(row, "id"), name: textOf(row, "name"), updatedAt: textOf(row, "updated_at"), columns, row };
}

function toAssignment(row: JsonObject): Assignment {
  return {
    id: textOf(row, "id"),
    agentId: textOf(row, "agent_id"),
    toolId: textOf(row, "tool_id"),
    enabled: row["enabled"] === true,
    configuration: memberOf(row, "configuration") ?? {},
    approver: nullableTextOf(row, "approver"),
    isVouched: row["is_vouched"] === true,
  };
}

function toGrant(row: JsonObject, email: string | null): Grant {
  const columns = GRANT_COLUMNS.map((name): [string, Json] => [name, normaliseTerm(name, row[name] ?? null)]);
  return {
    id: textOf(row, "id"),
    agentId: textOf(row, "agent_id"),
    userId: nullableTextOf(row, "user_id"),
    email,
    updatedAt: textOf(row, "updated_at"),
    audience: textOf(row, "audience"),
    columns: Object.fromEntries(columns),
  };
}

function toSwarmAgent(row: JsonObject): SwarmAgent {
  return {
    id: textOf(row, "id"),
    swarmId: textOf(row, "swarm_id"),
    agentId: textOf(row, "agent_id"),
    position: Number(row["position"]),
    enabled: row["enabled"] === true,
    roleOverride: nullableTextOf(row, "role_override"),
  };
}

function toMember(row: JsonObject): Member {
  const profile = memberOf(row, "public_profiles");
  return {
    id: textOf(row, "id"),
    swarmId: textOf(row, "swarm_id"),
    userId: nullableTextOf(row, "user_id"),
    email: nullableTextOf(row, "invited_email"),
    role: textOf(row, "role"),
    isActive: row["status"] === "active",
    fullName: isObject(profile) ? nullableTextOf(profile, "full_name") : null,
  };
}

function textOf(row: JsonObject, name: string): string {
  const value = memberOf(row, name);
  if (typeof value !== "string") throw new Error(`The service returned a row without ${name}.`);
  return value;
}

function nullableTextOf(row: JsonObject, name: string): string | null {
  const value = memberOf(row, name);
  return typeof value === "string" ? value : null;
}
