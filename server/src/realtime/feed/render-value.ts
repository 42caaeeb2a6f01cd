import type { TypeForm } from "./column-type.ts";
import { type ArrayItem, parseArray, parseComposite } from "./parse-literal.ts";

/** Renders the text of a value as the JSON that `to_json` gives. */
export function renderValue(text: string | null, form: TypeForm): string {
  if (text === null) return "null";
  switch (form.kind) {
    case "number":
    case "float":
      // JSON has no NaN and no infinity.
      return /[a-zA-Z]{2}/.test(text) ? JSON.stringify(text) : text;
    case "boolean":
      return text === "t" ? "true" : "false";
    case "json":
      return text;
    case "timestamp":
      return JSON.stringify(toIso(text));
    case "array": {
      const items = parseArray(text, form.delimiter);
      return items === null ? JSON.stringify(text) : renderItems(items, form.element);
    }
    case "composite": {
      const values = parseComposite(text);
      const fields = form.fields.map(
        (field, index) => `${JSON.stringify(field.name)}:${renderValue(values[index] ?? null, field.form)}`,
      );
      return `{${fields.join(",")}}`;
    }
    case "date":
    case "uuid":
    case "text":
    case "enum":
    case "other":
      return JSON.stringify(text);
  }
}

function renderItems(items: readonly ArrayItem[], element: TypeForm): string {
  const parts = items.map((item) => (Array.isArray(item) ? renderItems(item, element) : renderValue(item, element)));
  return `[${parts.join(",")}]`;
}

/** `2026-11-15 06:00:00.5+00` becomes `2026-11-15T06:00:00.5+00:00`. */
function toIso(text: string): string {
  return text.replace(/^(\d+-\d\d-\d\d) /, "$1T").replace(/([+-]\d\d)( BC)?$/, "$1:00$2");
}
