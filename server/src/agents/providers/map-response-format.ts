import type { ProviderKind } from "../../config/index.ts";
import { asRecord, NOT_TAKEN, type SentSettings, type SettingsRecord, SIMULATED, type Warn } from "./setting-values.ts";
import { VENDORS } from "./vendors.ts";

type ResponseFormat = NonNullable<SentSettings["responseFormat"]>;
export type MappedFormat = Pick<SentSettings, "responseFormat" | "providerOptions">;

export interface FormatTarget {
  readonly kind: ProviderKind;
  readonly hasTools: boolean;
  readonly warn: Warn;
}

/** `response_format` as OpenAI's API writes it: `text`, `json_object`, or `json_schema` with a schema. */
export function mapResponseFormat(settings: SettingsRecord, { kind, hasTools, warn }: FormatTarget): MappedFormat {
  const value = settings["response_format"] ?? null;
  if (value === null) return {};
  const refuse = (message: string): MappedFormat => {
    warn("response_format", message);
    return {};
  };
  const format = readFormat(value);
  if (format === null)
    return refuse("not sent: type must be one of text, json_object, json_schema; json_schema needs json_schema.schema");
  if (format.responseFormat?.type !== "json") return {};
  if (kind === "simulated") return refuse(SIMULATED);
  const { responseFormat: accepted, optionsName } = VENDORS[kind];
  switch (accepted) {
    case "none":
      return refuse(NOT_TAKEN);
    case "without-tools":
      if (hasTools) return refuse("not sent: the model does not take it beside tools");
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
