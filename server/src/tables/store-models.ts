import type pg from "pg";
import type { ModelCatalogue } from "../config/index.ts";
import { type ModelRow, writeModels } from "./sql/write-models.ts";

/** Tells the database what the frameworks offer. As the owner of the schema, under the migration lock, at every start. */
export async function storeModels(client: pg.ClientBase, catalogue: ModelCatalogue): Promise<void> {
  const rows = Object.entries(catalogue).flatMap(([framework, { models, defaultModel }]) =>
    [...new Set(models)].map(
      (id, position): ModelRow => ({ framework, id, is_default: id === defaultModel, position }),
    ),
  );
  await writeModels(client, rows);
}
