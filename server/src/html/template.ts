import { escapeHtml } from "./escape-html.ts";

/** Markup that is escaped already. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | false | undefined | readonly Part[];

/** A template that escapes every value except markup. */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: pieces.map((piece, index) => piece + render(parts[index])).join("") };
}

export function raw(markup: string): Html {
  return { markup };
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return "markup" in part ? part.markup : part.map(render).join("");
}
