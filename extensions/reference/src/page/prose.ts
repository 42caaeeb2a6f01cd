import { escapeHtml, type Html, raw } from "swarmbase/extension";

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
