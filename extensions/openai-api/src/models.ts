import {
  type ExtensionCore,
  type ExtensionRequest,
  type ExtensionResponse,
  readRows,
  type TableRow,
} from "swarmbase/extension";
import { modelNotFound, parseModel, type Target } from "./target.ts";

type ModelRow = TableRow<"swarms", "id" | "name" | "created_at" | "owner_id">;

const PAGE = 1_000;

/** GET /v1/models */
export async function listModels({ core, caller }: ExtensionRequest): Promise<ExtensionResponse> {
  const [agents, swarms] = await Promise.all([
    readAll(core, "/agents", usableBy("agent", core, caller.userId)),
    readAll(core, "/swarms", usableBy("swarm", core, caller.userId)),
  ]);
  const data = [...agents.map((row) => render("agent", row)), ...swarms.map((row) => render("swarm", row))];
  return { body: { object: "list", data } };
}

/** GET /v1/models/:model */
export async function getModel({ core, caller, params }: ExtensionRequest): Promise<ExtensionResponse> {
  const target = parseModel(params["model"]);
  const { kind, id } = target;
  const [row] = await readRows<ModelRow>(core, `/${kind}s`, `${usableBy(kind, core, caller.userId)}&id=eq.${id}`);
  if (row === undefined) throw modelNotFound(target);
  return { body: render(kind, row) };
}

/** The query for agents of the caller, or for swarms in which the caller can write. Aliases make the rows of both tables alike. */
function usableBy(kind: Target["kind"], core: ExtensionCore, userId: string | null): string {
  if (kind === "agent") return `select=id,name,created_at,owner_id:user_id&user_id=eq.${userId}`;
  // A key that does not read sees only the swarms in which it may ask, and no members.
  if (!core.hasScope("read")) return "select=id,name,created_at,owner_id&status=eq.active";
  const member = `swarm_members.user_id=eq.${userId}&swarm_members.status=eq.active&swarm_members.role=neq.viewer`;
  return `select=id,name,created_at,owner_id,swarm_members!inner(role)&${member}&status=eq.active`;
}

/** The service can have a lower limit of rows than a page, so the list is complete when a page is empty. */
async function readAll(core: ExtensionCore, path: string, query: string): Promise<readonly ModelRow[]> {
  const all: ModelRow[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const position = after === undefined ? "" : `&id=gt.${after}`;
    const rows = await readRows<ModelRow>(core, path, `${query}&order=id&limit=${PAGE}${position}`);
    if (rows.length === 0) return all;
    all.push(...rows);
  }
}

function render(kind: Target["kind"], { id, name, created_at: createdAt, owner_id: ownerId }: ModelRow): object {
  const created = Math.floor(Date.parse(createdAt) / 1_000);
  return { id: `${kind}:${id}`, object: "model", created, owned_by: ownerId, name };
}
