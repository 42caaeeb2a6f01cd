import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRestStage } from "./rest-stage.ts";

const OBJECTS = `
create function public.leave_mark(anyelement) returns text language sql volatile as
  $$ select set_config('app.mark', 'left behind', false) $$;
create function public.read_mark(anyelement) returns text language sql stable as
  $$ select nullif(current_setting('app.mark', true), '') $$;
grant execute on function public.leave_mark, public.read_mark to service_role;
`;
const opened = openRestStage(OBJECTS);

describe("a function of any row", () => {
  it("reads as a column, and leaves nothing behind for the next request", async () => {
    await opened.stage.addUser();
    const marked = await opened.stage.ask("GET /profiles?select=leave_mark&limit=1");
    assert.deepEqual(marked.json, [{ leave_mark: "left behind" }], marked.text);
    for (let request = 0; request < 8; request++) {
      const { json, text } = await opened.stage.ask("GET /profiles?select=read_mark&limit=1");
      assert.deepEqual(json, [{ read_mark: null }], text);
    }
  });
});
