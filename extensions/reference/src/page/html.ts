import { escapeHtml } from "swarmbase/extension";

/** Markup that needs no escaping any more. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | false | undefined | readonly Part[];

/** A template in which everything that is put in is text, unless it is markup already. */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = pieces.map((piece, place) => piece + render(parts[place])).join("");
  return { markup };
}

export function raw(markup: string): Html {
  return { markup };
}

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return "markup" in part ? part.markup : part.map(render).join("");
}

/** Sentences with `code` in them. */
export function prose(text: string): Html {
  return raw(escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>"));
}

export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
