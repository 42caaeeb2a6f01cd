import { readRows, type TableRow } from "./read-rows.ts";
import type { ExtensionCore } from "./route-port.ts";

/** What everybody who may ask an agent sees of it. */
type CommonColumn = "id" | "name" | "role" | "avatar" | "description";
type OwnColumn = "framework" | "model" | "status" | "created_at" | "updated_at";
type OwnAgent = TableRow<"agents", CommonColumn | OwnColumn>;

interface GrantTerms {
  readonly payer: "owner" | "asker";
  readonly approver: "owner" | "asker";
  readonly transcripts: "private" | "owner";
}

type Nullable<T> = { readonly [Member in keyof T]: T[Member] | null };
/** Of an agent of the caller the terms are null, and of an agent of somebody else what only its owner sees. */
export type AskableAgent = Pick<OwnAgent, CommonColumn> & Nullable<Pick<OwnAgent, OwnColumn>> & Nullable<GrantTerms>;

const COMMON = "id,name,role,avatar,description";
const OWN = { payer: null, approver: null, transcripts: null };
const OF_OTHERS = { framework: null, model: null, status: null, created_at: null, updated_at: null };

/**
 * The agents that the caller may ask: its own, and those of others by a grant. `query` filters by columns that both have, and has
 * the order `id` or `id.desc` and a limit.
 */
export async function readAgents(
  core: Pick<ExtensionCore, "rest">,
  query: { readonly order: "id" | "id.desc"; readonly limit: number; readonly [filter: string]: string | number },
): Promise<readonly AskableAgent[]> {
  const search = (select: string): URLSearchParams =>
    new URLSearchParams(
      Object.entries({ ...query, select }).map(([name, value]): [string, string] => [name, String(value)]),
    );
  const [own, others] = await Promise.all([
    readRows<OwnAgent>(core, "/agents", search(`${COMMON},framework,model,status,created_at,updated_at`)),
    readRows<Pick<OwnAgent, CommonColumn> & GrantTerms>(
      core,
      "/published_agents",
      search(`${COMMON},payer,approver,transcripts`),
    ),
  ]);
  const agents = [...own.map((row) => ({ ...row, ...OWN })), ...others.map((row) => ({ ...row, ...OF_OTHERS }))];
  const sign = query.order === "id" ? 1 : -1;
  return agents.sort((left, right) => (left.id < right.id ? -sign : sign)).slice(0, query.limit);
}
