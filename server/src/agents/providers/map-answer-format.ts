import type { OfferedModel, ProviderKind } from "../../config/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import { describeSchema } from "../output/instructions.ts";
import { responseSchemaOf } from "../output/response-schema.ts";
import { asRecord } from "./parse-record.ts";
import { readSchemaTraits } from "./schema-traits.ts";
import { NOT_SUPPORTED, type SentSettings, SIMULATED, type Warn } from "./setting-values.ts";
import { VENDORS } from "./vendors.ts";

type ResponseFormat = NonNullable<SentSettings["responseFormat"]>;
type MappedFormat = Pick<SentSettings, "responseFormat" | "providerOptions"> & {
  /** Added to the system prompt. */
  readonly instruction?: string;
};

interface FormatTarget {
  readonly model: Pick<OfferedModel, "supports">;
  readonly kind: ProviderKind;
  readonly hasTools: boolean;
  readonly warn: Warn;
}

/** Maps `response_schema`, or `response_format` when there is no schema. */
export function mapAnswerFormat(settings: JsonRecord, target: FormatTarget): MappedFormat {
  const schema = responseSchemaOf(settings);
  if (schema === null) return mapResponseFormat(settings, target);
  const { model, kind, hasTools, warn } = target;
  warn("response_format", "not sent: response_schema takes precedence");
  // Reads the schema from the settings.
  if (kind === "simulated") return {};
  const traits = readSchemaTraits(schema);
  const { acceptsSchema, schemaOptions, optionsName } = VENDORS[kind];
  if (!model.supports.responseSchema || !acceptsSchema(traits, hasTools))
    return { instruction: describeSchema(schema) };
  return {
    responseFormat: { type: "json", schema, name: "response" },
    providerOptions: { [optionsName]: schemaOptions(traits) },
  };
}

/** Maps `response_format` in the format of OpenAI's API: `text`, `json_object`, or `json_schema` with a schema. */
function mapResponseFormat(settings: JsonRecord, { kind, hasTools, warn }: FormatTarget): MappedFormat {
  const value = settings["response_format"] ?? null;
  if (value === null) return {};
  const omit = (message: string): MappedFormat => {
    warn("response_format", message);
    return {};
  };
  const format = readFormat(value);
  if (format === null)
    return omit("not sent: type must be one of text, json_object, json_schema; json_schema needs json_schema.schema");
  if (format.responseFormat?.type !== "json") return {};
  if (kind === "simulated") return omit(SIMULATED);
  const { responseFormat: accepted, optionsName } = VENDORS[kind];
  switch (accepted) {
    case "none":
      return omit(NOT_SUPPORTED);
    case "without-tools":
      if (hasTools) return omit("not sent: the model does not support it together with tools");
      return { responseFormat: format.responseFormat };
    case "any": {
      const options = { strictJsonSchema: format.isStrict };
      return {
        responseFormat: format.responseFormat,
        ...(format.responseFormat.schema !== undefined && {
          providerOptions: { [optionsName]: options },
        }),
      };
    }
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
