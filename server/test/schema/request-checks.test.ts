import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { openStage } from "./support/stage.ts";

describe("conditions that a request sets", () => {
  const opened = openStage();

  async function evaluate(caller: string, text: string): Promise<unknown> {
    try {
      return (await opened.stage.run(caller, `select ${text} as met`))[0]?.["met"];
    } catch (error) {
      if (error instanceof pg.DatabaseError) return [error.code, error.detail];
      throw error;
    }
  }

  it("are met or raise, for every role of the interface", async () => {
    const user = await opened.stage.newUser();
    for (const caller of ["anon", "service_role", user]) {
      assert.equal(await evaluate(caller, "private.require_single(1)"), true);
      assert.deepEqual(await evaluate(caller, "private.require_single(0)"), ["SB116", "0"]);
      assert.deepEqual(await evaluate(caller, "private.require_single(2)"), ["SB116", "2"]);
      assert.deepEqual(await evaluate(caller, "private.require_single(null)"), ["SB116", "0"]);
      assert.equal(await evaluate(caller, "private.require_at_most(3, 3)"), true);
      assert.equal(await evaluate(caller, "private.require_at_most(0, 0)"), true);
      assert.deepEqual(await evaluate(caller, "private.require_at_most(4, 3)"), ["SB124", "4"]);
    }
  });

  it("take back what the statement wrote", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    await stage.newAgent(user);
    await stage.newAgent(user);
    const text = `with changed as (update agents set name = 'Bo' returning 1)
      select count(*) from changed having private.require_single(count(*))`;
    await assert.rejects(stage.run(user, text), { code: "SB116", detail: "2" });
    const names = await stage.run(user, "select name from agents");
    assert.deepEqual(
      names.map(({ name }) => name),
      ["Ada", "Ada"],
    );
  });
});
