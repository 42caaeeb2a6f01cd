import type { JsonSchema } from "./json-schema.ts";

export interface EventDescription {
  /** When it is raised, as a sentence. */
  readonly summary: string;
  /** Who hears of it, besides having a webhook that subscribes to it. */
  readonly audience: string;
  /** Of the envelope's `data`. */
  readonly data: JsonSchema;
  readonly example: Readonly<Record<string, unknown>>;
}
