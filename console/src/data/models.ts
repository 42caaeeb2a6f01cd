import type { Framework } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Row } from "./client.ts";
import { type Reading, useRows } from "./rows.ts";

/** What a model takes, in the words of an agent's settings. */
interface ModelSupport {
  readonly temperature: boolean;
  readonly temperature_max: number;
  readonly top_p: boolean;
  readonly top_p_with_temperature: boolean;
  readonly penalties: boolean;
  /** How many stop sequences it takes. */
  readonly stop: number;
  readonly tools: boolean;
}

export interface Model extends Omit<Row<"models">, "supports"> {
  readonly supports: ModelSupport;
}

/** The catalogue: what each provider offers, in the order in which the operator lists it. */
export function useModels(): Reading<readonly Model[]> {
  const { rows, failure, reload } = useRows({
    table: "models",
    key: [],
    ask: (client, signal) =>
      client.from("models").select("*").order("framework").order("position").limit(1000).abortSignal(signal),
  });
  const models = useMemo(() => rows?.map((row) => ({ ...row, supports: readSupport(row.supports) })), [rows]);
  return { rows: models, failure, reload };
}

/** The model that answers for an agent; undefined where the list does not name it. */
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
};

function readSupport(supports: Row<"models">["supports"]): ModelSupport {
  return { ...FULL, ...(supports as Partial<ModelSupport>) };
}
