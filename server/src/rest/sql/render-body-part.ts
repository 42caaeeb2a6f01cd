import type { BodyForm } from "../plan/plan.ts";
import { ONLY_COLUMN } from "./draft.ts";
import { quoteName } from "./quote.ts";

type Handler = Extract<BodyForm, { kind: "handler" }>["handler"];

/** What the rows are, beyond their outputs. */
export interface RowForm {
  /** The row, as an argument of a function. */
  readonly row: string;
  /** Each row is a single value, and the rows are named `_`. */
  readonly isBare: boolean;
}

/** The part of the body that one row gives, as text. Never null. */
export function renderBodyPart(body: Exclude<BodyForm, { kind: "none" }>, form: RowForm): string {
  switch (body.kind) {
    case "array":
    case "object":
    case "value":
      return renderJson(form, body.hasNulls);
    case "csv":
      return renderCsvLine(form);
    case "geojson":
      return `st_asgeojson(${form.row})::text`;
    case "raw": {
      const value = body.encoding === "hex" ? `pg_catalog.encode(_.${ONLY_COLUMN},'hex')` : `_.${ONLY_COLUMN}::text`;
      return `coalesce(${value},'')`;
    }
    case "handler":
      return renderHandled(body.handler, form);
  }
}

/** The whole body, by an aggregate over the rows. */
function renderHandled({ function: name, target, encoding }: Handler, { row }: RowForm): string {
  const taken = target === null ? row : `(${row})::${quoteName(target)}`;
  const value = `${quoteName(name)}(${taken})`;
  return `coalesce(${encoding === "hex" ? `pg_catalog.encode(${value},'hex')` : `${value}::text`},'')`;
}

function renderJson({ row, isBare }: RowForm, hasNulls: boolean): string {
  const value = isBare ? `pg_catalog.to_json(_.${ONLY_COLUMN})` : `pg_catalog.row_to_json(${row})`;
  const text = `${hasNulls ? value : `pg_catalog.json_strip_nulls(${value})`}::text`;
  return isBare ? `coalesce(${text},'null')` : text;
}

/** The text of a row is CSV in parentheses with doubled backslashes. */
function renderCsvLine({ row }: RowForm): string {
  return `pg_catalog.replace(pg_catalog.left(pg_catalog.substr((${row})::text,2),-1),E'\\\\\\\\',E'\\\\')`;
}
