import { readRows, type TableRow } from "./read-rows.ts";
import type { ExtensionCore } from "./route-port.ts";

/** What everybody who may ask an agent sees of it. */
type CommonColumn = "id" | "name" | "role" | "avatar" | "description";
type OwnAgent = TableRow<"agents", CommonColumn | keyof typeof OF_OTHERS>;
type AgentOfOthers = TableRow<"published_agents", CommonColumn | keyof typeof OWN>;
type Nullable<T> = { readonly [Member in keyof T]: T[Member] | null };
/** Of an agent of the caller the terms are null, and of an agent of somebody else what only its owner sees. */
export type AskableAgent = Pick<OwnAgent, CommonColumn> & Nullable<Omit<OwnAgent & AgentOfOthers, CommonColumn>>;

const COMMON = "id,name,role,avatar,description";
const OWN = { payer: null, approver: null, transcripts: null };
const OF_OTHERS = { framework: null, model: null, status: null, created_at: null, updated_at: null };

/**
 * The agents that the caller may ask: its own, and those of others by a grant. `query` filters by columns that both have, and has
 * the order `id` or `id.desc` and a limit.
 */
export async function readAgents(
  core: Pick<ExtensionCore, "rest">,
  query: { readonly order: "id" | "id.desc"; readonly limit: number; readonly id?: string; readonly or?: string },
): Promise<readonly AskableAgent[]> {
  const read = <Row>(path: string, columns: object): Promise<readonly Row[]> => {
    const select = [COMMON, ...Object.keys(columns)].join();
    return readRows<Row>(core, path, new URLSearchParams({ ...query, limit: String(query.limit), select }));
  };
  const [own, others] = await Promise.all([
    read<OwnAgent>("/agents", OF_OTHERS),
    read<AgentOfOthers>("/published_agents", OWN),
  ]);
  const agents = [...own.map((row) => ({ ...row, ...OWN })), ...others.map((row) => ({ ...row, ...OF_OTHERS }))];
  const sign = query.order === "id" ? 1 : -1;
  return agents.sort((left, right) => (left.id < right.id ? -sign : sign)).slice(0, query.limit);
}
