import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument, Schema } from "../../src/openapi/document.ts";

export interface DocumentValidator {
  /** What is wrong with the value, in words; null when nothing is. */
  findFault(schema: Schema, value: unknown): string | null;
}

const DOCUMENT = "https://swarmbase.test/openapi.json";

/** Judges by the schemas of the document. Strictly: a member that is not described is a fault, and so is an unknown keyword. */
export function createDocumentValidator({ components }: Pick<OpenApiDocument, "components">): DocumentValidator {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(["components"]);
  // Added once, because a copy of all components in every schema makes each compilation slow.
  ajv.addSchema({ $id: DOCUMENT, components: { schemas: close(components.schemas) } });
  const compiled = new Map<string, ValidateFunction>();
  return {
    findFault(schema, value) {
      const key = JSON.stringify(schema);
      const validate = compiled.get(key) ?? ajv.compile(close(schema) as object);
      compiled.set(key, validate);
      return validate(value) ? null : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`;
    },
  };
}

/** In the published schemas further members may come with time; here they may not come unseen. */
function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close);
  if (typeof part !== "object" || part === null) return part;
  const inner = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, name === "$ref" ? `${DOCUMENT}${String(value)}` : close(value)]),
  );
  const isObjectSchema = inner["type"] === "object" && inner["properties"] !== undefined;
  return isObjectSchema ? { additionalProperties: false, ...inner } : inner;
}
