import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { readSnapshot } from "../../src/realtime/feed/when-visible.ts";
import { explainUnavailable } from "../../src/realtime/feed/explain-unavailable.ts";
import { parseArray, parseComposite } from "../../src/realtime/feed/parse-literal.ts";

describe("visibility of a transaction in a snapshot", () => {
  const EPOCH = 2n ** 32n;
  for (const [name, snapshot, xid, expected] of [
    ["a transaction that is over", "100:105:102", 101n, true],
    ["one that is under way", "100:105:102,103", 102n, false],
    ["one that has not begun", "100:105:", 105n, false],
    ["one of a later epoch", `${EPOCH + 100n}:${EPOCH + 105n}:${EPOCH + 102n}`, 102n, false],
    ["the same when it is over", `${EPOCH + 100n}:${EPOCH + 105n}:`, 102n, true],
    ["one from before the count began anew", `${EPOCH + 3n}:${EPOCH + 5n}:`, EPOCH - 2n, true],
    ["one from after it, not yet seen", `${EPOCH - 5n}:${EPOCH - 2n}:`, 3n, false],
  ] as const)
    it(name, () => assert.equal(readSnapshot(snapshot)(xid), expected));
});

describe("the explanation of an unavailable feed", () => {
  const fault = (code: string): unknown => Object.assign(new pg.DatabaseError("m", 1, "error"), { code });
  it("errors that an administrator can fix have an explanation", () => {
    assert.match(explainUnavailable(fault("55000")) ?? "", /wal_level/);
    assert.match(explainUnavailable(fault("42501")) ?? "", /alter role sb_replica replication/);
    assert.match(explainUnavailable(fault("53400")) ?? "", /max_replication_slots/);
    assert.match(explainUnavailable(fault("53300")) ?? "", /max_wal_senders/);
  });
  it("transient errors have no explanation", () => {
    assert.equal(explainUnavailable(fault("57P01")), null);
    assert.equal(explainUnavailable(new Error("read ECONNRESET")), null);
  });
});

describe("literals", () => {
  const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
  it("array literals are parsed back to their values", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string())), (items) => {
        const text = `{${items.map((item) => (item === null ? "NULL" : quote(item))).join(",")}}`;
        assert.deepEqual(parseArray(text, ","), items);
      }),
    );
  });
  it("row literals are parsed back to their values", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string()), { minLength: 2 }), (fields) => {
        const text = `(${fields.map((field) => (field === null ? "" : `"${field.replace(/["\\]/g, "$&$&")}"`)).join(",")})`;
        assert.deepEqual(parseComposite(text), fields);
      }),
    );
  });
});
