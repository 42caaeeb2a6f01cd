import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { readSnapshot } from "../../src/realtime/feed/when-visible.ts";
import { explainUnavailable } from "../../src/realtime/feed/explain-unavailable.ts";
import { parseArray, parseComposite } from "../../src/realtime/feed/parse-literal.ts";
import type { Transaction } from "../../src/realtime/feed/row-change.ts";
import { TransactionQueue } from "../../src/realtime/feed/transaction-queue.ts";

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

describe("the queue of transactions", () => {
  const begin = (commitLsn: bigint, xid: number): Buffer => {
    const message = Buffer.alloc(21);
    message.write("B");
    message.writeBigInt64BE(commitLsn, 1);
    message.writeUInt32BE(xid, 17);
    return message;
  };
  const sent = (): Buffer => {
    const message = Buffer.alloc(17);
    message.write("M");
    message.writeUInt8(1, 1);
    message.write("p", 10);
    message.writeInt32BE(1, 12);
    return message;
  };
  const commit = Buffer.from("C");
  const open = (onTransaction: (transaction: Transaction) => Promise<void> | void) =>
    new TransactionQueue(
      { maxWaitingBytes: 1_000, maxPartBytes: 1_000, isWanted: () => true, onRelation: () => {}, onTransaction },
      () => ({ pause: () => {}, resume: () => {} }),
    );

  it("one transaction is processed at a time, in commit order", async () => {
    const [begun, released] = [[] as number[], Promise.withResolvers<void>()];
    const queue = open(({ xid }) => {
      begun.push(xid);
      return xid === 1 ? released.promise : undefined;
    });
    for (const xid of [1, 2]) for (const message of [begin(BigInt(xid), xid), sent(), commit]) queue.read(message);
    assert.deepEqual(begun, [1]);
    released.resolve();
    await released.promise;
    await new Promise(setImmediate);
    assert.deepEqual(begun, [1, 2]);
    for (const message of [begin(3n, 3), sent(), commit]) queue.read(message);
    assert.deepEqual(begun, [1, 2, 3]);
  });
  it("nothing is processed after a transaction has failed, or after the end", async () => {
    for (const end of ["failed", "closed"]) {
      const begun: number[] = [];
      const queue = open(async ({ xid }) => {
        begun.push(xid);
        if (end === "failed") throw new Error("the first fails");
      });
      for (const xid of [1, 2]) for (const message of [begin(BigInt(xid), xid), sent(), commit]) queue.read(message);
      if (end === "closed") queue.close();
      else assert.match((await queue.failed).message, /the first fails/);
      await new Promise(setImmediate);
      for (const message of [begin(3n, 3), sent(), commit]) queue.read(message);
      assert.deepEqual(begun, [1]);
    }
  });
  it("a stream out of order is an error", () => {
    const first = [begin(5n, 1), sent(), commit];
    for (const [messages, reason] of [
      [[begin(5n, 1), begin(6n, 2)], /a transaction at 6 after 5/],
      [[...first, begin(5n, 1)], /a transaction at 5 after 5/],
      [[...first, commit], /a commit without a transaction/],
    ] as const) {
      const queue = open(() => {});
      assert.throws(() => messages.forEach((message) => queue.read(message)), reason);
    }
  });
});
