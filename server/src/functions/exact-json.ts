const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * JSON whose numbers keep all their digits: those that JavaScript would write otherwise stand as their text, and
 * `JSON.stringify` writes them back as such. For what is only passed on.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  });
}
