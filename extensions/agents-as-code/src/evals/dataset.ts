import { isSameJson, type Json, type JsonObject } from "@swarmbase/sdk";
import type { EvalCase, EvalDataset } from "@swarmbase/sdk/evals";
import { UUID } from "../model/keys.ts";
import { ServiceError } from "../service/client.ts";
import type { Session } from "../service/connect.ts";
import type { EvalFile } from "./eval-file.ts";

/** The dataset with this name or id. */
export async function loadDataset(session: Session, named: string): Promise<EvalDataset> {
  const row = await findDataset(session, named);
  if (row === null) throw new Error(`There is no dataset ${JSON.stringify(named)}.`);
  return { ...row, cases: await loadCases(session, row.id) };
}

/** Makes the dataset of the file's name what the file says: cases are found by their names, and those that it does not have are deleted. */
export async function storeDataset(session: Session, file: EvalFile): Promise<EvalDataset> {
  const { client, owner } = session;
  const { name, description } = file;
  const before = await findDataset(session, { name });
  const user = { user_id: owner.id };
  const [stored] = (before === null
    ? await client.call("POST", "/rest/v1/eval_datasets", { ...user, name, description })
    : await client.call("PATCH", `/rest/v1/eval_datasets?id=eq.${before.id}`, { description })) as unknown as readonly {
    readonly id: string;
  }[];
  if (stored === undefined) throw new Error(`The dataset ${JSON.stringify(name)} was deleted meanwhile.`);
  const known = before === null ? [] : await loadCases(session, stored.id);
  const rows = file.cases.map((each, position) => ({ ...each, position, ...user, dataset_id: stored.id }));
  const surplus = known.filter((each) => !rows.some((row) => row.name === each.name));
  const isUnchanged = isSameJson(toJson(rows.map(contentOf)), toJson(known.map(contentOf)));
  if (!isUnchanged) {
    await writeCases(session, file, [
      ...surplus.map(({ id }) => ({ method: "DELETE", path: `/eval_cases?id=eq.${id}` })),
      {
        method: "POST",
        path: "/eval_cases?on_conflict=dataset_id,user_id,name",
        headers: { prefer: "resolution=merge-duplicates" },
        body: rows,
      },
    ]);
  }
  return { id: stored.id, name, cases: isUnchanged ? known : await loadCases(session, stored.id) };
}

/** All of them, or none. A fault of a row becomes one of the file. */
async function writeCases({ client }: Session, file: EvalFile, operations: readonly object[]): Promise<void> {
  try {
    await client.call("POST", "/functions/v1/batch", { operations } as unknown as JsonObject);
  } catch (error) {
    const [place, message] = error instanceof ServiceError ? (Object.entries(error.details)[0] ?? []) : [];
    if (place === undefined || message === undefined) throw error;
    const [index = "", ...members] = place.split(".");
    throw file.faultAt(/^\d+$/.test(index) ? ["cases", Number(index), ...members] : [], message);
  }
}

async function findDataset(
  { client, owner }: Session,
  named: string | { readonly name: string },
): Promise<Pick<EvalDataset, "id" | "name"> | null> {
  const isId = typeof named === "string" && UUID.test(named);
  const name = typeof named === "string" ? named : named.name;
  const filter = isId ? { id: `eq.${named}` } : { name: `eq.${name}` };
  const rows = await client.listRows("eval_datasets", { ...filter, user_id: `eq.${owner.id}` });
  const [row] = rows as unknown as readonly EvalDataset[];
  return row === undefined ? null : { id: row.id, name: row.name };
}

async function loadCases({ client }: Session, datasetId: string): Promise<readonly EvalCase[]> {
  const rows = await client.listRows("eval_cases", { dataset_id: `eq.${datasetId}` });
  const cases = rows as unknown as readonly (EvalCase & { readonly position: number })[];
  return cases.toSorted((one, other) => one.position - other.position);
}

function contentOf({ name, input, expectation }: { name: string; input: string; expectation: unknown }) {
  return { name, input, expectation };
}

function toJson(value: unknown): Json {
  return value as Json;
}
