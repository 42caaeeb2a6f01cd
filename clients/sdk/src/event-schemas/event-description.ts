import type { JsonSchema } from "./json-schema.ts";

export interface EventDescription {
  /** When it is raised, as a sentence. */
  readonly summary: string;
  /** Who receives it, provided that a webhook subscribes to it. */
  readonly audience: string;
  /** Schema of the envelope's `data`. */
  readonly data: JsonSchema;
  readonly example: Readonly<Record<string, unknown>>;
}
