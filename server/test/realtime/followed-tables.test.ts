import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FollowedTables } from "../../src/realtime/feed/followed-tables.ts";
import { FeedFilter, type FilteredMessage } from "../../src/realtime/feed/relay/feed-filter.ts";
import { tableKey, tableKeys } from "../../src/realtime/table-key.ts";

const begin = (xid: number): FilteredMessage => ({ kind: "begin", message: Buffer.from(`begin ${xid}`), xid });
const commit: FilteredMessage = { kind: "commit", message: Buffer.from("commit") };
const other: FilteredMessage = { kind: "other", message: Buffer.from("message") };
const description: FilteredMessage = { kind: "description", message: Buffer.from("description") };
const change = (table: string, schema = "public"): FilteredMessage => ({
  kind: "change",
  message: Buffer.from(table),
  tableKeys: tableKeys(schema, table),
});

function openFilter(): { readonly filter: FeedFilter; take(...parts: readonly FilteredMessage[]): string[] } {
  const passed: string[] = [];
  const filter = new FeedFilter((message) => passed.push(message.toString()));
  const take = (...parts: readonly FilteredMessage[]): string[] => {
    for (const part of parts) filter.take(part);
    return passed.splice(0);
  };
  return { filter, take };
}

describe("what a process gets of the stream", () => {
  it("leaves out tables that it does not follow, and transactions that have nothing else", () => {
    const { filter, take } = openFilter();
    assert.deepEqual(take(begin(1), change("agents"), change("tools"), commit), []);
    filter.follow([tableKey("public", "tools")]);
    assert.deepEqual(take(begin(2), change("agents"), change("tools"), commit), ["begin 2", "tools", "commit"]);
    assert.deepEqual(take(begin(3), change("agents"), commit), []);
    filter.follow([tableKey("public", "*")]);
    assert.deepEqual(take(begin(4), change("agents"), change("notes", "crm"), commit), ["begin 4", "agents", "commit"]);
  });

  it("has messages, descriptions and what can end the access of a socket, whatever the process follows", () => {
    const { take } = openFilter();
    assert.deepEqual(take(begin(1), change("agents"), other, commit), ["begin 1", "message", "commit"]);
    assert.deepEqual(take(begin(2), description, change("agents"), commit), ["description"]);
    assert.deepEqual(take(other), ["message"]);
    assert.deepEqual(take(begin(3), change("sessions", "auth"), commit), ["begin 3", "sessions", "commit"]);
  });

  it("names the recent transactions that it leaves out, also a transaction in progress", () => {
    const { filter, take } = openFilter();
    take(begin(1), change("agents"), change("agents"), commit, begin(2), change("swarm_members"), commit);
    take(begin(3), change("agents"));
    assert.deepEqual(filter.follow([tableKey("public", "agents")]), [1, 3]);
    assert.deepEqual(take(change("agents"), commit), ["begin 3", "agents", "commit"]);
    for (let xid = 10; xid < 100; xid += 1) take(begin(xid), change("tools"), commit);
    assert.deepEqual(filter.follow([]).at(-1), 99);
    assert.equal(filter.follow([]).length, 32);
  });
});

describe("the tables that a process asks for", () => {
  /** Each call of `follow` waits for `confirm`. */
  const open = () => {
    const calls: { readonly tables: readonly string[]; confirm(): void }[] = [];
    const needed = new Set<string>();
    const feed = { lives: 1 };
    const followed = new FollowedTables({
      follow: (tables) =>
        new Promise((resolve) => {
          calls.push({ tables, confirm: () => resolve([]) });
        }),
      findNeeded: () => [...needed],
      countLives: () => feed.lives,
      releaseAfterMs: 0,
    });
    const release = async (table: string): Promise<void> => {
      needed.delete(table);
      followed.release();
      await new Promise((resolve) => setTimeout(resolve, 5));
    };
    return { calls, needed, feed, followed, release };
  };

  it("are asked for once, and again only after they were released or the feed was lost", async () => {
    const { calls, needed, feed, followed, release } = open();
    needed.add("a");
    const first = followed.add();
    calls[0]?.confirm();
    await first;
    await followed.add();
    assert.equal(calls.length, 1);
    await release("a");
    assert.deepEqual(calls[1]?.tables, []);
    needed.add("a");
    const again = followed.add();
    assert.deepEqual(calls[2]?.tables, ["a"]);
    calls[2]?.confirm();
    await again;
    feed.lives += 1;
    void followed.add();
    assert.deepEqual(calls[3]?.tables, ["a"]);
  });

  it("a confirmation that arrives after the release of its table does not count", async () => {
    const { calls, needed, followed, release } = open();
    needed.add("a").add("b");
    const first = followed.add();
    await release("b");
    assert.deepEqual(calls[1]?.tables, ["a"]);
    calls[0]?.confirm();
    await first;
    needed.add("b");
    void followed.add();
    assert.deepEqual(calls[2]?.tables, ["a", "b"]);
  });
});
