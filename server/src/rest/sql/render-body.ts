import type { BodyForm } from "../plan/plan.ts";
import { ONLY_COLUMN } from "./draft.ts";

/** What the rows are, beyond their outputs. */
export interface RowForm {
  /** The row, as an argument of a function. */
  readonly row: string;
  /** Each row is a single value, and the rows are named `_`. */
  readonly isBare: boolean;
  /** A list, though it may have one member only. */
  readonly isList: boolean;
  /** The first line of a CSV document, as an expression. */
  readonly renderHeader: () => string;
}

/** The body as an aggregate over the rows. */
export function renderBody(body: BodyForm, form: RowForm): string {
  switch (body.kind) {
    case "none":
      return "null";
    case "array":
      return renderList(form, body.hasNulls);
    case "object":
      return renderOne(form, body.hasNulls);
    case "value":
      return form.isList ? renderList(form, body.hasNulls) : renderOne(form, body.hasNulls);
    case "csv":
      return renderCsv(form);
    case "geojson": {
      const features = `coalesce(pg_catalog.json_agg(st_asgeojson(${form.row})::json),'[]')`;
      return `pg_catalog.json_build_object('type','FeatureCollection','features',${features})::text`;
    }
    case "raw": {
      const value = body.encoding === "hex" ? `pg_catalog.encode(_.${ONLY_COLUMN},'hex')` : `_.${ONLY_COLUMN}::text`;
      return `pg_catalog.string_agg(${value},'')`;
    }
  }
}

function renderList(form: RowForm, hasNulls: boolean): string {
  const list = `pg_catalog.json_agg(${form.isBare ? `_.${ONLY_COLUMN}` : form.row})`;
  return `coalesce(${stripNulls(list, hasNulls)},'[]')::text`;
}

/** The first row; the count shows whether it is the only one. */
function renderOne(form: RowForm, hasNulls: boolean): string {
  const value = form.isBare ? `pg_catalog.to_json(_.${ONLY_COLUMN})` : `pg_catalog.row_to_json(${form.row})`;
  return `(pg_catalog.array_agg(${stripNulls(value, hasNulls)}::text))[1]`;
}

function stripNulls(document: string, hasNulls: boolean): string {
  return hasNulls ? document : `pg_catalog.json_strip_nulls(${document})`;
}

/** The text of a row is CSV in parentheses with doubled backslashes. */
function renderCsv({ row, renderHeader }: RowForm): string {
  const line = `pg_catalog.replace(pg_catalog.left(pg_catalog.substr((${row})::text,2),-1),E'\\\\\\\\',E'\\\\')`;
  return `${renderHeader()}||E'\\n'||coalesce(pg_catalog.string_agg(${line},E'\\n'),'')`;
}
