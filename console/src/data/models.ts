import type { Framework } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Row } from "./client.ts";
import { type ReadResult, useRows } from "./rows.ts";

/** Which settings of an agent a model supports. */
interface ModelSupport {
  readonly temperature: boolean;
  readonly temperature_max: number;
  readonly top_p: boolean;
  readonly top_p_with_temperature: boolean;
  readonly penalties: boolean;
  /** The maximum number of stop sequences. */
  readonly stop: number;
  readonly tools: boolean;
  readonly response_schema: boolean;
}

export interface Model extends Omit<Row<"models">, "supports"> {
  readonly supports: ModelSupport;
}

/** The models of all providers, in the order of the operator's list. */
export function useModels(): ReadResult<readonly Model[]> {
  const { rows, failure, reload } = useRows({
    table: "models",
    key: [],
    read: (client) => client.from("models").select("*").order("framework").order("position").limit(1000),
  });
  const models = useMemo(() => rows?.map((row) => ({ ...row, supports: readSupport(row.supports) })), [rows]);
  return { rows: models, failure, reload };
}

/** The model that an agent uses; undefined if it is not listed. */
export function findModel(
  models: readonly Model[] | undefined,
  { framework, model }: { readonly framework: Framework; readonly model: string | null },
): Model | undefined {
  return models?.find((row) => row.framework === framework && (model === null ? row.is_default : row.id === model));
}

const FULL: ModelSupport = {
  temperature: true,
  temperature_max: 2,
  top_p: true,
  top_p_with_temperature: true,
  penalties: true,
  stop: 16,
  tools: true,
  response_schema: true,
};

function readSupport(supports: Row<"models">["supports"]): ModelSupport {
  return { ...FULL, ...(supports as Partial<ModelSupport>) };
}
