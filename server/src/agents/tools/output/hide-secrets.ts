import { isRecord, type JsonRecord } from "../../../json/index.ts";
import type { ToolSecrets } from "../seal-secrets.ts";

const SHORTEST_HIDDEN = 4;
const HIDDEN = "[secret]";

/** Everything that was sent and is secret, in each of the forms in which it may be said back; longest first. */
export function hiddenForms(config: JsonRecord, secrets: ToolSecrets): readonly string[] {
  const values = Object.values(secrets);
  const { type, username } = isRecord(config["auth"]) ? config["auth"] : {};
  const pairs =
    type === "basic" ? values.map((value) => Buffer.from(`${String(username)}:${value}`).toString("base64")) : [];
  const forms = [...values, ...pairs].flatMap((value) => [
    value,
    encodeURIComponent(value),
    new URLSearchParams([["", value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ]);
  return [...new Set(forms)]
    .filter((form) => form.length >= SHORTEST_HIDDEN)
    .toSorted((left, right) => right.length - left.length);
}

/**
 * A server may say back what it was sent. Neither a model nor whoever reads outputs is to learn a secret from that, nor its
 * beginning, where the text was cut in the middle of it.
 */
export function hideSecrets(text: string, forms: readonly string[], { isCut } = { isCut: false }): string {
  const hidden = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  if (!isCut) return hidden;
  const begun = Math.max(0, ...forms.map((form) => lengthOfStart(hidden, form)));
  return begun === 0 ? hidden : hidden.slice(0, -begun) + HIDDEN;
}

/** How much of the form's beginning the text ends with. */
function lengthOfStart(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST_HIDDEN; length -= 1) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
