import type { Database } from "@swarmbase/sdk";
import type { ExtensionCore } from "./route-port.ts";

type Tables = Database["public"]["Tables"] & Database["public"]["Views"];

/** Some columns of a table or view of the service. */
export type TableRow<Table extends keyof Tables, Column extends keyof Tables[Table]["Row"]> = Readonly<
  Pick<Tables[Table]["Row"], Column>
>;

/** Reads rows as the caller. `path` is that of a table below `/rest/v1`. */
export async function readRows<Row>(
  { rest }: Pick<ExtensionCore, "rest">,
  path: string,
  query: URLSearchParams | string,
): Promise<readonly Row[]> {
  const { body } = await rest({ method: "GET", path: `${path}?${query}` });
  return body as readonly Row[];
}

/** The event after which a run continues that is about to get a decision or a result; 0 when it has none. */
export async function readLastEventId(core: Pick<ExtensionCore, "rest">, runId: string): Promise<number> {
  const query = new URLSearchParams({ select: "seq", run_id: `eq.${runId}`, order: "seq.desc", limit: "1" });
  const [last] = await readRows<{ readonly seq: number }>(core, "/run_events", query);
  return last?.seq ?? 0;
}
