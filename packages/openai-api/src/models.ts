import type { ExtensionCore, ExtensionRequest, ExtensionResponse } from "swarmbase/extension";
import { modelNotFound, parseModel, type Target } from "./target.ts";

interface ModelRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly owner_id: string;
}

const PAGE = 1_000;
/** Aliases make the rows of both tables alike. */
const AGENT_COLUMNS = "id,name,created_at,owner_id:user_id";
const SWARM_COLUMNS = "id,name,created_at,owner_id";

/** Agents of the caller, and swarms in which the caller can write. */
export async function listModels({ core, caller }: ExtensionRequest): Promise<ExtensionResponse> {
  const [agents, swarms] = await Promise.all([
    readAll(core, `/agents?select=${AGENT_COLUMNS}&user_id=eq.${caller.userId}`),
    readAll(core, `/swarms?select=${SWARM_COLUMNS}${writableBy(caller.userId)}`),
  ]);
  const data = [...agents.map((row) => render("agent", row)), ...swarms.map((row) => render("swarm", row))];
  return { body: { object: "list", data } };
}

export async function getModel({ core, caller, params }: ExtensionRequest): Promise<ExtensionResponse> {
  const target = parseModel(params["model"]);
  const { kind, id } = target;
  const path =
    kind === "agent"
      ? `/agents?select=${AGENT_COLUMNS}&user_id=eq.${caller.userId}`
      : `/swarms?select=${SWARM_COLUMNS}${writableBy(caller.userId)}`;
  const { body } = await core.rest({ method: "GET", path: `${path}&id=eq.${id}` });
  const [row] = body as readonly ModelRow[];
  if (row === undefined) throw modelNotFound(target);
  return { body: render(kind, row) };
}

function writableBy(userId: string | null): string {
  const member = `swarm_members.user_id=eq.${userId}&swarm_members.status=eq.active&swarm_members.role=neq.viewer`;
  return `,swarm_members!inner(role)&${member}&status=eq.active`;
}

/** The service can have a lower limit of rows than a page, so the list is complete when a page is empty. */
async function readAll(core: ExtensionCore, path: string): Promise<readonly ModelRow[]> {
  const all: ModelRow[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const position = after === undefined ? "" : `&id=gt.${after}`;
    const { body } = await core.rest({ method: "GET", path: `${path}&order=id&limit=${PAGE}${position}` });
    const rows = body as readonly ModelRow[];
    if (rows.length === 0) return all;
    all.push(...rows);
  }
}

function render(kind: Target["kind"], { id, name, created_at: createdAt, owner_id: ownerId }: ModelRow): object {
  const created = Math.floor(Date.parse(createdAt) / 1_000);
  return { id: `${kind}:${id}`, object: "model", created, owned_by: ownerId, name };
}
