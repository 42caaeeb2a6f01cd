// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { JsonObject } from "../json.ts";

/** The models that agents can use, as the operator configured them. */
export type ModelsTable = {
  Row: {
    /** The AI provider. */
    framework: Framework;
    /** The name for `agents.model`. */
    id: string;
    /** Used by agents of the framework whose `model` is null. */
    is_default: boolean;
    /** The order in the configuration. */
    position: number;
    /** Tokens of input and output together; null if unknown. */
    context_window: number | null;
    /** The longest response; null if unknown. */
    max_output_tokens: number | null;
    /** USD per million tokens of input; null if unknown. */
    price_input: number | null;
    /** USD per million tokens of input that the provider had in its cache; null if unknown. */
    price_cached_input: number | null;
    /** USD per million tokens of output; null if unknown. */
    price_output: number | null;
    /** Which settings and features the model accepts. */
    supports: JsonObject;
    /** The service itself creates the responses, without a provider. */
    is_simulated: boolean;
    /** The framework also accepts models that are not in the list. */
    is_list_open: boolean;
    /** The first framework that can answer: what the console and files choose for agents that name none. */
    is_default_framework: boolean;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
