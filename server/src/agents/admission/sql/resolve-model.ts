import type { Framework } from "@swarmbase/sdk";
import type { Queryable } from "../../../db/index.ts";
import { callRows } from "../../rejections/call-function.ts";

export interface ResolvedModel {
  readonly framework: Framework;
  readonly model: string;
}

/** As an agent of the framework would store a model that names its vendor. */
export async function resolveModel(database: Queryable, { framework, model }: ResolvedModel): Promise<ResolvedModel> {
  const [resolved] = await callRows<{ framework: Framework; model: string }>(database, {
    name: "resolve-model",
    text: "select r.framework, r.model from private.resolve_model($1, $2) r",
    values: [framework, model],
  });
  return resolved ?? { framework, model };
}
