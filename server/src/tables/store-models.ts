import type pg from "pg";
import type { ModelCatalogue, ModelSupport } from "../config/index.ts";
import { writeSettings } from "../db/index.ts";
import { type ModelRow, writeModels } from "./sql/write-models.ts";

/** Stores the models of the frameworks. Runs as the owner of the schema, at every start and when the list changes. */
export async function storeModels(client: pg.ClientBase, catalogue: ModelCatalogue): Promise<void> {
  const rows = Object.entries(catalogue).flatMap(
    ([framework, { models, defaultModel, isOpen, isSimulated, isDefault = false }]) =>
      [...new Map(models.map((model) => [model.id, model])).values()].map(
        (model, position): ModelRow => ({
          framework,
          id: model.id,
          is_default: model.id === defaultModel,
          position,
          context_window: model.contextWindow,
          max_output_tokens: model.maxOutputTokens,
          price_input: model.price?.input ?? null,
          price_cached_input: model.price?.cachedInput ?? null,
          price_output: model.price?.output ?? null,
          supports: renderSupport(model.supports),
          is_simulated: isSimulated,
          is_list_open: isOpen,
          is_default_framework: isDefault,
        }),
      ),
  );
  await writeModels(client, rows);
  const names = Object.entries(catalogue).map(([framework, { providerName }]) => [framework, providerName]);
  const fallbacks = Object.entries(catalogue).map(([framework, { fallbacks: others = [] }]) => [framework, others]);
  await writeSettings(client, {
    provider_names: Object.fromEntries(names),
    provider_fallbacks: Object.fromEntries(fallbacks),
  });
}

/** With the names of the providers file and of an agent's settings. */
function renderSupport(supports: ModelSupport): Readonly<Record<string, unknown>> {
  return {
    temperature: supports.temperature,
    temperature_max: supports.temperatureMax,
    top_p: supports.topP,
    top_p_with_temperature: supports.topPWithTemperature,
    penalties: supports.penalties,
    stop: supports.stop,
    tools: supports.tools,
    response_schema: supports.responseSchema,
    images: supports.images,
    reasoning: supports.reasoning,
  };
}
