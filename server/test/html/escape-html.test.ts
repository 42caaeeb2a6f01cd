import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapeHtml, html, raw } from "../../src/html/index.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

test("escapeHtml leaves no character that could end a text or an attribute, and loses nothing", () => {
  const hostile = fc.string({ unit: fc.constantFrom("&", "<", ">", '"', "'", ";", "#", "a", "é") });
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string()), (text) => {
      const escaped = escapeHtml(text);
      assert.doesNotMatch(escaped, /[<>"']/);
      assert.equal(
        escaped.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity),
        text,
      );
    }),
  );
});

test("a template escapes every value except markup", () => {
  const items = (["<b>", null, false, undefined, 2] as const).map((value) => html`<li>${value}</li>`);
  const { markup } = html`<ul title="${'"'}">${items}${raw("<hr>")}</ul>`;
  assert.equal(markup, '<ul title="&quot;"><li>&lt;b&gt;</li><li></li><li></li><li></li><li>2</li><hr></ul>');
});
