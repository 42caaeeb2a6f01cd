import { escapeHtml } from "./escape-html.ts";

/** Markup that is escaped already. */
export interface Html {
  readonly markup: string;
}

type Value = Html | string | number | null | false | undefined | readonly Value[];

/** A template that escapes every value except markup. */
export function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: pieces.map((piece, index) => piece + render(values[index])).join("") };
}

export function raw(markup: string): Html {
  return { markup };
}

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return "markup" in value ? value.markup : value.map(render).join("");
}
