import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectIds, KINDS } from "./read-kinds.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(KINDS, { schemas: ["kinds"] });

describe("conditions", () => {
  it("combine in trees of and, or and not", () =>
    expectIds(opened.stage, {
      "or=(id.eq.1,id.eq.3)": [1, 3],
      "and=(id.gt.1,id.lt.4)": [2, 3],
      "not.or=(id.eq.1,id.eq.3)": [2, 4],
      "not.and=(id.gt.1,id.lt.4)": [1, 4],
      "or=(id.eq.1,and(id.gt.2,id.lt.4))": [1, 3],
      "or=(id.eq.1,not.and(id.gt.1,id.lt.4))": [1, 4],
      "or=(not.or(id.eq.1,id.eq.2),name.eq.beta)": [2, 3, 4],
      "or=(id.not.eq.1,name.is.null)": [2, 3, 4],
      "or=(id.not.in.(1,2,3),name.not.is.null)": [1, 2, 3, 4],
      'or=(name.eq."Gamma, (x)",id.in.(1,2))': [1, 2, 3],
      'or=(name.like.*lph*,name.ilike."BE*")': [1, 2],
      "or=(id.eq.1,id.eq.2)&or=(id.eq.2,id.eq.3)": [2],
      "or=( id.eq.1 , id.eq.3 )": [1, 3],
      "and=(or(id.eq.1,id.eq.2),or(id.eq.2,id.eq.3))": [2],
      "and=(or(id.eq.1,id.eq.2),not.or(id.eq.2,id.eq.3),name.not.is.null)": [1],
    }));

  it("can repeat on one column", () =>
    expectIds(opened.stage, {
      "id=gt.1&id=lt.4": [2, 3],
      "id=gt.1&id=lt.4&id=neq.2": [3],
      "name=like.*a&name=not.eq.Alpha": [2],
    }));

  it("accept the syntax of the client library", () =>
    expectIds(opened.stage, {
      "name=eq.Gamma%2C+%28x%29": [3],
      "name=in.%28Alpha%2Cbeta%29": [1, 2],
      "name=in.%28%22Gamma%2C+%28x%29%22%29": [3],
      "tags=cs.%7Bblue%2Cred%7D": [1],
      "data=cs.%7B%22k%22%3A%22v%22%7D": [1],
      "or=%28id.eq.1%2Cname.eq.beta%29": [1, 2],
      "search=wfts%28english%29.fox": [1],
      "name=not.is.null": [1, 2, 3],
      "name=ilike%28any%29.%7BAL*%2CBE*%7D": [1, 2],
      "name=like%28all%29.%7BA%25%2C%25a%7D": [1],
      "data-%3E%3Ek=eq.v": [1],
    }));

  it("are rejected with the database's message when the value does not fit the type", async () => {
    const cases: readonly (readonly [string, number, string, RegExp])[] = [
      ["amount=eq.x", 400, "22P02", /invalid input syntax for type integer: "x"/],
      ["code=eq.1", 400, "22P02", /invalid input syntax for type uuid/],
      ["mood=eq.angry", 400, "22P02", /invalid input value for enum mood: "angry"/],
      ["born=eq.2020-99-99", 400, "22008", /out of range/],
      ["amount=like.1*", 404, "42883", /operator does not exist: integer ~~/],
      ["name=is.true", 400, "42804", /boolean/],
      ["nothing=eq.1", 400, "42703", /column things\.nothing does not exist/],
      ["name=match.[", 400, "2201B", /invalid regular expression/],
      ["span=cs.5", 400, "22P02", /malformed range literal/],
      ["tags=cs.blue", 400, "22P02", /malformed array literal/],
      ["search=fts(nowhere).x", 400, "42704", /text search configuration "nowhere" does not exist/],
      ["search=fts.a b", 400, "42601", /syntax error in tsquery/],
    ];
    for (const [query, status, code, message] of cases) {
      const answer = await opened.stage.ask(`GET /things?${query}`);
      const body = answer.json as { code: string; message: string };
      assert.deepEqual([query, answer.status, body.code], [query, status, code], answer.text);
      assert.match(body.message, message, query);
    }
  });

  it("reject texts that the database cannot store", async () => {
    for (const query of ["name=eq.%00", "%00=eq.1", "select=x:%00", "name=eq.%ff", "name=eq.%zz", "or=(name.eq.%00)"]) {
      const { status, json } = await opened.stage.ask(`GET /things?${query}`);
      assert.equal(status, 400, query);
      assert.equal((json as { code: string }).code, "PGRST100", query);
    }
  });

  it("reject invalid filters with the position", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["id=1", /^"failed to parse filter \(1\)" \(line 1, column 1\)$/],
      ["id=equals.1", /failed to parse filter \(equals\.1\)/],
      ["id=in.1", /failed to parse filter \(in\.1\)/],
      ["id=is.maybe", /failed to parse filter \(is\.maybe\)/],
      ["or=(id.eq.1", /failed to parse logic tree \(\(id\.eq\.1\)/],
      ["or=()", /failed to parse logic tree/],
      ["order=id.up", /failed to parse order \(id\.up\)/],
      ["select=id,,name", /failed to parse select parameter \(id,,name\)/],
    ];
    for (const [query, message] of cases) {
      const { status, json } = await opened.stage.ask(`GET /things?${query}`);
      const body = json as { code: string; message: string; details: string; hint: null };
      assert.equal(status, 400, query);
      assert.equal(body.code, "PGRST100", query);
      assert.match(body.message, message, query);
      assert.match(body.details, /unexpected .* expecting /, query);
      assert.equal(body.hint, null, query);
    }
  });
});
