import {
  type AskableAgent,
  type ExtensionCore,
  type ExtensionRequest,
  type ExtensionResponse,
  readAgents,
  readRows,
  type TableRow,
} from "swarmbase/extension";
import { createdAtOf, toSeconds } from "./render.ts";
import { modelNotFound, parseModel } from "./target.ts";

type ModelRow = TableRow<"swarms", "id" | "name" | "created_at" | "owner_id">;

const PAGE = 1_000;
/** Of agents, which are read from two tables: not more than the service returns of each. */
const AGENT_PAGE = 100;
/** Whoever asks an agent of somebody else does not learn whose it is. */
const OWNER_OF_OTHERS = "swarmbase";

/** GET /v1/models */
export async function listModels({ core, caller }: ExtensionRequest): Promise<ExtensionResponse> {
  const [agents, swarms] = await Promise.all([
    readAll((after) => readAgents(core, { order: "id", limit: AGENT_PAGE, ...after })),
    readAll((after) => {
      const page = new URLSearchParams({ order: "id", limit: String(PAGE), ...after });
      return readRows<ModelRow>(core, "/swarms", `${usableSwarms(core, caller.userId)}&${page}`);
    }),
  ]);
  const data = [...agents.map((agent) => renderAgent(agent, caller.userId)), ...swarms.map(renderSwarm)];
  return { body: { object: "list", data } };
}

/** GET /v1/models/:model */
export async function getModel({ core, caller, params }: ExtensionRequest): Promise<ExtensionResponse> {
  const target = parseModel(params["model"]);
  const { kind, id } = target;
  if (kind === "agent") {
    const [agent] = await readAgents(core, { order: "id", limit: 1, id: `eq.${id}` });
    if (agent === undefined) throw modelNotFound(target);
    return { body: renderAgent(agent, caller.userId) };
  }
  const [swarm] = await readRows<ModelRow>(core, "/swarms", `${usableSwarms(core, caller.userId)}&id=eq.${id}`);
  if (swarm === undefined) throw modelNotFound(target);
  return { body: renderSwarm(swarm) };
}

/** The query for swarms in which the caller can write, without the conversations with one agent: that agent is the model. */
function usableSwarms(core: ExtensionCore, userId: string | null): string {
  // A key that does not read sees only the swarms in which it may ask, and no members.
  const common = "status=eq.active&private_agent_id=is.null&started_by=is.null&select=id,name,created_at,owner_id";
  if (!core.hasScope("read")) return common;
  const member = `swarm_members.user_id=eq.${userId}&swarm_members.status=eq.active&swarm_members.role=neq.viewer`;
  return `${common},swarm_members!inner(role)&${member}`;
}

/** The service can have a lower limit of rows than a page, so the list is complete when a page is empty. */
async function readAll<Row extends { readonly id: string }>(
  readAfter: (position: { readonly id?: string }) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (;;) {
    const last = all.at(-1);
    const rows = await readAfter(last === undefined ? {} : { id: `gt.${last.id}` });
    if (rows.length === 0) return all;
    all.push(...rows);
  }
}

/** The terms of a grant are not OpenAI's: whoever asks has to know them before the first message. */
function renderAgent({ id, name, created_at, payer, approver, transcripts }: AskableAgent, userId: string | null) {
  const model = { id: `agent:${id}`, object: "model", name };
  if (created_at !== null) return { ...model, created: toSeconds(created_at), owned_by: userId };
  return { ...model, created: createdAtOf(id), owned_by: OWNER_OF_OTHERS, payer, approver, transcripts };
}

function renderSwarm({ id, name, created_at, owner_id }: ModelRow): object {
  return { id: `swarm:${id}`, object: "model", created: toSeconds(created_at), owned_by: owner_id, name };
}
