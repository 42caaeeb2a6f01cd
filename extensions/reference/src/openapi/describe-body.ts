import type { JsonSchema } from "swarmbase/extension";
import type { BodyText } from "../operations/operation-text.ts";
import type { Schema } from "./document.ts";

/** The schema that the service checks a body with, simplified for readers and with the descriptions of the text. */
export function describeBody(body: JsonSchema, text: BodyText): Schema {
  const forms = formsOf(body as Schema).map((form) => addTexts(tidy(form), text));
  checkTexts(forms, text);
  const [only] = forms;
  if (forms.length === 1 && only !== undefined) return only;
  return { oneOf: forms.map((form, place) => ({ title: text.forms?.[place] ?? `Form ${place + 1}`, ...form })) };
}

/** Flattens nested choices. */
function formsOf(schema: Schema): readonly Schema[] {
  const forms = schema.anyOf ?? schema.oneOf;
  return forms === undefined ? [schema] : forms.flatMap(formsOf);
}

function tidy(schema: Schema): Schema {
  const { properties, items, additionalProperties, propertyNames, pattern, format, anyOf, oneOf, ...rest } = schema;
  const flat = { ...rest, ...joinForms(anyOf ?? oneOf) };
  if (flat.default === "" || (isEmptyObject(flat.default) && flat.type === "object")) delete flat.default;
  return {
    ...flat,
    ...(format !== undefined && format !== "starts_with" && { format }),
    // A format stands for its pattern.
    ...(pattern !== undefined && (format === undefined || format === "starts_with") && { pattern }),
    ...(propertyNames?.pattern !== undefined && { propertyNames: { pattern: propertyNames.pattern } }),
    ...(items !== undefined && { items: tidy(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: tidyRest(additionalProperties) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, tidy(inner)])),
    }),
  };
}

/** Writes "a plain schema or null" as that schema with null among its types. */
function joinForms(forms: readonly Schema[] | undefined): { -readonly [Key in keyof Schema]: Schema[Key] } {
  if (forms === undefined) return {};
  const [one, ...others] = forms.filter(({ type }) => type !== "null");
  const mayBeNull = forms.length > others.length + 1;
  if (one === undefined) return { type: "null" };
  const isPlain = others.length === 0 && typeof one.type === "string";
  if (!isPlain) return { anyOf: [...[one, ...others].flatMap(formsOf).map(tidy), ...(mayBeNull ? [NULL] : [])] };
  const form = tidy(one);
  if (!mayBeNull) return { ...form };
  return {
    ...form,
    type: [one.type, "null"],
    ...(form.enum !== undefined && { enum: [...form.enum, null] }),
  };
}

const NULL: Schema = { type: "null" };

function tidyRest(rest: Schema | boolean): Schema | boolean {
  if (typeof rest === "boolean") return rest;
  return Object.keys(rest).length === 0 ? true : tidy(rest);
}

/** Adds the descriptions of the text to every member of that name, at any depth. */
function addTexts(schema: Schema, text: BodyText): Schema {
  const { properties, items, anyOf } = schema;
  const { fields = {}, bounds = {}, hidden = [], required = [] } = text;
  if (anyOf !== undefined) return { ...schema, anyOf: anyOf.map((form) => addTexts(form, text)) };
  if (items !== undefined) return { ...schema, items: addTexts(items, text) };
  if (properties === undefined) return schema;
  const shown = Object.entries(properties)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, inner]): [string, Schema] => {
      const description = fields[name];
      const bound = bounds[name];
      const described = bound?.$ref === undefined ? { ...addTexts(inner, text), ...bound } : bound;
      return [name, { ...described, ...(description !== undefined && { description }) }];
    });
  const names = [...(schema.required ?? []), ...required.filter((name) => Object.hasOwn(properties, name))];
  return {
    ...schema,
    properties: Object.fromEntries(shown),
    ...(names.length > 0 && { required: [...new Set(names)] }),
  };
}

/** A text for a member that does not exist is outdated. */
function checkTexts(
  forms: readonly Schema[],
  { fields = {}, bounds = {}, forms: titles, required = [] }: BodyText,
): void {
  const text = JSON.stringify(forms);
  const missing = [...Object.keys(fields), ...Object.keys(bounds), ...required].find(
    (name) => !text.includes(`${JSON.stringify(name)}:`),
  );
  if (missing !== undefined) throw new Error(`the body has no member ${missing}`);
  if ((titles?.length ?? 1) !== forms.length) throw new Error(`the body has ${forms.length} forms`);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
