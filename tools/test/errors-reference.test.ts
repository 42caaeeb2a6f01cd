import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_CODES } from "@swarmbase/sdk";
import { renderErrorsReference } from "../documents/render-errors-reference.ts";

test("the reference names every code once", () => {
  const text = renderErrorsReference();
  for (const code of Object.keys(ERROR_CODES)) assert.equal(text.split(`| \`${code}\` |`).length, 2, code);
});
