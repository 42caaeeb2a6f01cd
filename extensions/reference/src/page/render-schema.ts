import { type Html, html } from "swarmbase/extension";
import type { Schema } from "../openapi/document.ts";
import { prose, slugOf } from "./prose.ts";

const REFERENCE = "#/components/schemas/";
const MOST_LEVELS = 4;

/** Requests have members that are required; responses have members that may be absent. */
type Direction = "sent" | "got";

/** The members of a schema, forms one after the other. */
export function renderSchema(schema: Schema, direction: Direction, level = 0): Html {
  const forms = schema.oneOf ?? schema.anyOf;
  if (schema.$ref !== undefined) return html`<p class="type">${renderType(schema)}</p>`;
  if (forms !== undefined) {
    return html`<div class="forms">${forms.map(
      (form, place) =>
        html`<section class="form"><h5>${form.title ?? (place === 0 ? "Either" : "or")}</h5>${renderSchema(form, direction, level)}</section>`,
    )}</div>`;
  }
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return html`<p class="type">${renderType(schema)}${remarkOf(schema)}</p>`;
  const required = schema.required ?? [];
  return html`<dl class="members">${entries.map(([name, member]) => renderMember(name, member, markOf(required.includes(name), direction), { direction, level }))}</dl>`;
}

function markOf(isRequired: boolean, direction: Direction): Html | null {
  if (direction === "sent") return isRequired ? html`<span class="required">needed</span>` : null;
  return isRequired ? null : html`<span class="absent">may be absent</span>`;
}

interface Place {
  readonly direction: Direction;
  readonly level: number;
}

function renderMember(name: string, schema: Schema, mark: Html | null, { direction, level }: Place): Html {
  const inner = innerOf(schema);
  return html`<div><dt><code>${name}</code>${mark}</dt><dd><span class="type">${renderType(schema)}</span>${remarkOf(schema)}${
    inner !== null &&
    level < MOST_LEVELS &&
    html`<details><summary>members</summary>${renderSchema(inner, direction, level + 1)}</details>`
  }</dd></div>`;
}

/** What is worth unfolding below a member. */
function innerOf(schema: Schema): Schema | null {
  const { items } = schema;
  const target = items ?? schema;
  if (target.$ref !== undefined) return null;
  if (target.properties !== undefined) return target;
  const forms = (target.oneOf ?? target.anyOf ?? []).filter((form) => (form.items ?? form).properties !== undefined);
  const [only] = forms;
  if (only === undefined) return null;
  return forms.length === 1 ? (only.items ?? only) : { anyOf: forms };
}

export function renderType(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace(REFERENCE, "");
    return html`<a href="${anchorOf(name)}">${name}</a>`;
  }
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms !== undefined) return join(forms.map(renderType), " or ");
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return join(
      schema.enum.map((value) => html`<code>${typeof value === "string" ? value : JSON.stringify(value)}</code>`),
      " ",
    );
  }
  if (schema.type === undefined) return html`any JSON`;
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  return join(
    types.map((type) => renderPlainType(type, schema)),
    " or ",
  );
}

/** Events have a section of their own: `MessageCreatedEvent` is `#event-message-created`. */
function anchorOf(name: string): string {
  if (!isEventSchema(name)) return `#schema-${slugOf(name)}`;
  return `#event-${slugOf(name.replace(/Event$/, "").replaceAll(/(?<=[a-z])[A-Z]/g, "-$&"))}`;
}

/** Whether the schema is that of one event. */
export function isEventSchema(name: string): boolean {
  return name.endsWith("Event") && name !== "SwarmbaseEvent";
}

function renderPlainType(type: string, schema: Schema): Html {
  if (type === "array") return html`array of ${renderType(schema.items ?? {})}`;
  if (type === "string" && schema.format !== undefined) return html`${FORMATS[schema.format] ?? schema.format}`;
  return html`${type === "string" ? "text" : type}`;
}

const FORMATS: Readonly<Record<string, string>> = { uuid: "UUID", "date-time": "time", uri: "URL" };

function remarkOf(schema: Schema): Html {
  const bounds = boundsOf(schema);
  return html`${bounds !== "" && html` <span class="bounds">${bounds}</span>`}${
    schema.description !== undefined && html` <span class="remark">${prose(schema.description)}</span>`
  }`;
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: fallback } = schema;
  return [
    between(minimum, maximum, ""),
    between(minLength, maxLength, " characters"),
    between(minItems, maxItems, " entries"),
    fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`,
  ]
    .filter((text) => text !== "")
    .join(", ");
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least === undefined || least === 0 ? "" : `at least ${least}${unit}`;
  const end = most.toLocaleString("en");
  return least === undefined || least === 0 ? `at most ${end}${unit}` : `${least} to ${end}${unit}`;
}

function join(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, place) => html`${place > 0 && between}${part}`)}`;
}
