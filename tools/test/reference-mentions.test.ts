import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { listMentions } from "../documents/reference-mentions.ts";
import { readTexts } from "../read-texts.ts";

const FILES = new Map([
  ["server/src/rest/a.ts", 'throw restError("PGRST999", "");'],
  ["server/src/realtime/wire/a.ts", '{ event: "some_frame" }'],
  ["server/src/realtime/requests/channel-request.ts", 'case "some_request":'],
  ["server/src/functions/a.ts", 'z.object({ action: z.literal("some_action") })'],
  ["server/functions/run-steps.sql", "select 'turn.some_event'"],
  ["server/src/agents/streams/run-body.ts", '"run.some"'],
]);

test("hand-written pages of the reference must have every call, action, code, frame and event that the sources name", () => {
  const mentions = listMentions(FILES);
  assert.ok(mentions["docs/reference/auth.md"]?.includes("`POST /signup`"));
  assert.deepEqual(mentions["docs/reference/rest.md"], ["`PGRST999`"]);
  assert.deepEqual(mentions["docs/reference/realtime.md"], ["`some_frame`", "`some_request`"]);
  const functions = mentions["docs/reference/functions.md"] ?? [];
  for (const text of ["\n## batch\n", "`some_action`", "`turn.some_event`", "`run.some`"])
    assert.ok(functions.includes(text), text);
});

test("every pattern finds names in the sources of this repository", () => {
  const root = resolve(import.meta.dirname, "../..");
  const mentions = listMentions(readTexts(root, ["server/{src,functions}/**/*.{ts,sql}"]));
  const found = new Set(Object.values(mentions).flat());
  for (const name of ["PGRST116", "phx_join", "untrack", "recover_since", "run.started", "message.delta"]) {
    assert.ok(found.has(`\`${name}\``), name);
  }
});
