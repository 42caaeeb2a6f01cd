import type { FormatTarget, JsonRecord, ResponseFormat, SentFormat } from "swarmbase/extension";
import { asRecord } from "./parse-record.ts";
import { readSchemaTraits } from "./schema-traits.ts";
import type { Vendor } from "./vendors.ts";

/** Returns null when the vendor would reject or change the schema. */
export function mapResponseSchema(
  { acceptsSchema, schemaOptions, optionsName }: Vendor,
  schema: JsonRecord,
  { model, hasTools }: FormatTarget,
): SentFormat | null {
  const traits = readSchemaTraits(schema);
  if (!model.supports.responseSchema || !acceptsSchema(traits, hasTools)) return null;
  return {
    responseFormat: { type: "json", schema, name: "response" },
    providerOptions: { [optionsName]: schemaOptions(traits) },
  };
}

/** Maps `response_format` in the format of OpenAI's API: `text`, `json_object`, or `json_schema` with a schema. */
export function mapResponseFormat(
  { responseFormat: accepted, optionsName }: Vendor,
  value: unknown,
  { hasTools, warn }: FormatTarget,
): SentFormat {
  const omit = (message?: string): SentFormat => {
    warn("response_format", message);
    return {};
  };
  const format = readFormat(value);
  if (format === null)
    return omit("not sent: type must be one of text, json_object, json_schema; json_schema needs json_schema.schema");
  const { responseFormat, isStrict } = format;
  if (responseFormat.type !== "json") return {};
  switch (accepted) {
    case "none":
      return omit();
    case "without-tools":
      if (hasTools) return omit("not sent: the model does not support it together with tools");
      return { responseFormat };
    case "any":
      if (responseFormat.schema === undefined) return { responseFormat };
      return { responseFormat, providerOptions: { [optionsName]: { strictJsonSchema: isStrict } } };
  }
}

interface ReadFormat {
  readonly responseFormat: ResponseFormat;
  readonly isStrict: boolean;
}

function readFormat(value: unknown): ReadFormat | null {
  const given = asRecord(value);
  switch (given?.["type"]) {
    case "text":
      return { responseFormat: { type: "text" }, isStrict: false };
    case "json_object":
      return { responseFormat: { type: "json" }, isStrict: false };
    case "json_schema": {
      const described = asRecord(given["json_schema"]);
      const schema = asRecord(described?.["schema"]);
      if (described === null || schema === null) return null;
      const { name, description, strict } = described;
      return {
        responseFormat: {
          type: "json",
          schema,
          ...(typeof name === "string" && { name }),
          ...(typeof description === "string" && { description }),
        },
        isStrict: strict === true,
      };
    }
    default:
      return null;
  }
}
