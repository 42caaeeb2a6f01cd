import { isRecord, type JsonRecord } from "../../../json/index.ts";
import type { ToolSecrets } from "../seal-secrets.ts";

const MIN_HIDDEN_CHARS = 4;
const HIDDEN = "[secret]";

/** The secrets that a call sends, in every encoding in which a response may contain them, longest first. */
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
    .filter((form) => form.length >= MIN_HIDDEN_CHARS)
    .toSorted((left, right) => right.length - left.length);
}

/**
 * Replaces secrets in a response, which may echo the request. When the text is cut, also replaces the beginning of a secret
 * at its end.
 */
export function hideSecrets(text: string, forms: readonly string[], { isCut } = { isCut: false }): string {
  const hidden = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  if (!isCut) return hidden;
  const begun = Math.max(0, ...forms.map((form) => lengthOfStart(hidden, form)));
  return begun === 0 ? hidden : hidden.slice(0, -begun) + HIDDEN;
}

/** The length of the longest prefix of the form with which the text ends. */
function lengthOfStart(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= MIN_HIDDEN_CHARS; length -= 1) {
    if (text.endsWith(form.slice(0, length))) return length;
  }
  return 0;
}
