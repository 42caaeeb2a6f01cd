/** The parts of Swagger 2.0 that the description of a schema uses. */
export type SwaggerTypeName = "string" | "boolean" | "integer" | "number" | "array" | "object";

interface SwaggerRef {
  readonly $ref: string;
}

export interface SwaggerSchema {
  readonly type?: SwaggerTypeName;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly items?: SwaggerSchema | SwaggerRef;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SwaggerSchema>>;
}

export interface SwaggerParameter {
  readonly name: string;
  readonly in: "query" | "header" | "body";
  readonly required: boolean;
  readonly description?: string;
  readonly type?: SwaggerTypeName;
  readonly format?: string;
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly items?: SwaggerSchema;
  readonly collectionFormat?: "multi";
  readonly schema?: SwaggerSchema | SwaggerRef;
}

export interface SwaggerOperation {
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly parameters?: readonly (SwaggerParameter | SwaggerRef)[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: SwaggerSchema }>>;
}

export interface SwaggerPath {
  readonly get?: SwaggerOperation;
  readonly post?: SwaggerOperation;
  readonly patch?: SwaggerOperation;
  readonly delete?: SwaggerOperation;
}

/** Escaped for a JSON pointer and for a URL. */
export function referTo(kind: "definitions" | "parameters", name: string): SwaggerRef {
  const pointer = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return { $ref: `#/${kind}/${encodeURIComponent(pointer)}` };
}

/** The first line of a comment, and the rest. */
export function splitComment(comment: string | null): { summary?: string; description?: string } {
  if (comment === null) return {};
  const [summary = "", ...rest] = comment.split("\n");
  const description = rest.join("\n").replace(/^\n+/, "");
  return { summary, ...(description !== "" && { description }) };
}
