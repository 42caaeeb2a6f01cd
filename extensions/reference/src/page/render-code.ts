import { escapeHtml, type Html, html, raw } from "swarmbase/extension";

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?)/g;

export function renderJson(value: unknown, label: string): Html {
  return renderBlock(label, raw(colour(renderValue(value, ""))));
}

export function renderSource(source: string, label: string): Html {
  return renderBlock(label, html`${source}`);
}

function renderBlock(label: string, content: Html): Html {
  return html`<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0"><code>${content}</code></pre></figure>`;
}

/** Short lists and objects stay on their line, so that examples can be seen whole. */
function renderValue(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== "object" || value === null || flat.length + indent.length < 56) return space(flat, value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => `${inner}${renderValue(item, inner)}`)
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${renderValue(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function space(flat: string, value: unknown): string {
  if (typeof value !== "object" || value === null || flat === "{}" || flat === "[]") return flat;
  if (Array.isArray(value)) return `[${value.map((item) => renderValue(item, "")).join(", ")}]`;
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${renderValue(item, "")}`);
  return `{ ${members.join(", ")} }`;
}

function colour(json: string): string {
  let at = 0;
  let markup = "";
  for (const match of json.matchAll(JSON_TOKEN)) {
    const [whole, text, colon, word] = match;
    const kind = text === undefined ? (word === undefined ? "number" : "word") : colon === undefined ? "text" : "key";
    const token = text ?? whole;
    markup += `${escapeHtml(json.slice(at, match.index))}<span class="${kind}">${escapeHtml(token)}</span>`;
    at = match.index + token.length;
  }
  return markup + escapeHtml(json.slice(at));
}
