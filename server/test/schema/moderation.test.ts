import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SwarmFixture } from "./support/swarm-fixture.ts";
import { openSwarmFixture } from "./support/swarm-fixture.ts";
import { openStage, violates, rejects } from "./support/stage.ts";

const opened = openStage();

const moderate = ({ stage, owner, swarm }: SwarmFixture, moderation: Record<string, unknown>): Promise<unknown> =>
  stage.update(owner, "swarms", swarm, { settings: { moderation: { enabled: true, ...moderation } } });

describe("the blocklist", () => {
  it("finds terms as words of their own, whatever the case, and never as patterns", async () => {
    const cases: [term: string, content: string, isFound: boolean][] = [
      ["spam", "Buy SPAM now", true],
      ["Spam", "spam", true],
      [" spam ", "some spam.", true],
      ["spam", "antispam spammer spam_x", false],
      ["spam", "spammer, (spam)", true],
      ["ÄRGER", "so viel ärger!", true],
      ["rger", "so viel ärger!", false],
      ["two words", "these are two words here", true],
      ["a.c", "abc", false],
      ["a.c", "an a.c or so", true],
      ["(", "smile :(", true],
      [".*", "anything", false],
      ["$$$", "win$$$fast", true],
      ["c++", "I like C++ a lot", true],
      ["c++", "abc++", false],
      ["\\d", "5", false],
      ["\\d", "say \\d", true],
      ["***=x", "x", false],
      ["(?i)x", "x", false],
      ["[a-z]", "b", false],
      ["spam", "ｓｐａｍ", true],
      ["x".repeat(200), "x".repeat(201), false],
    ];
    for (const [term, content, isFound] of cases) {
      const [row] = await opened.stage.database.owner
        .query<{ found: string | null }>("select private.find_blocked_term($1::jsonb, $2) as found", [
          JSON.stringify(["nowhere", term]),
          content,
        ])
        .then(({ rows }) => rows);
      assert.equal(row?.found ?? null, isFound ? term : null, `${term} in ${content}`);
    }
  });

  it("flags what is said, in the same transaction, and tells those who look after the swarm", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, owner, admin, member, swarm, agent } = fixture;
    await moderate(fixture, { blocklist: ["nowhere", "rude"] });
    await stage.takeEvents();
    const message = await stage.insert(member, "messages", { swarm_id: swarm, content: "How RUDE!" });
    assert.equal(message["flagged"], true);
    const events = await stage.takeEvents();
    assert.deepEqual(
      events.map(({ type }) => type),
      ["message.created", "message.flagged"],
    );
    const flagged = events[1];
    assert.deepEqual(flagged?.audience.toSorted(), [owner, admin].toSorted());
    const [flag] = await stage.run(owner, "select * from message_flags where message_id = $1", [message.id]);
    assert.deepEqual(
      [flag?.["source"], flag?.["category"], flag?.["status"], flag?.["flagged_by"]],
      ["moderation", "blocklist", "open", null],
    );
    assert.match(String(flag?.["reason"]), /rude/);
    assert.deepEqual(
      [flagged?.data["flag"], flagged?.data["actor"], flagged?.data["content"]],
      [
        { id: flag?.id, source: "moderation", category: "blocklist", reason: flag?.["reason"] },
        { type: "system", id: null },
        "How RUDE!",
      ],
    );
    // What the service itself stores for an agent is flagged, and only flagged, even where people are rejected.
    await moderate(fixture, { blocklist: ["rude"], action: "block" });
    for (const caller of ["internal", "service_role"]) {
      const said = { swarm_id: swarm, content: "rude", sender_type: "agent", sender_agent_id: agent };
      assert.equal((await stage.insert(caller, "messages", said))["flagged"], true);
    }
  });

  it("reads the texts and names of a structured answer, whatever its JSON escapes", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, swarm, agent } = fixture;
    await moderate(fixture, { blocklist: ["rude", "two words"] });
    const cases: [content: string, isFlagged: boolean][] = [
      ['{"answer": ["one line\\nrude"]}', true],
      ['{"answer": "r\\u0075de"}', true],
      ['{"r\\u0075de": 1}', true],
      ['{"a": {"b": [[{"c": "two\\u0020words"}]]}}', true],
      ['{"answer": "prude", "two": "words", "n": null}', false],
      ["17", false],
    ];
    for (const [content, isFlagged] of cases) {
      const said = { swarm_id: swarm, content, data: content, sender_type: "agent", sender_agent_id: agent };
      const message = await stage.insert("internal", "messages", said);
      const flags = await stage.run("internal", "select from public.message_flags where message_id = $1", [message.id]);
      assert.deepEqual([message["flagged"], flags.length], [isFlagged, isFlagged ? 1 : 0], content);
    }
  });

  it("flags an edit once, and again after the flag was dismissed", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, member, admin, swarm, message } = fixture;
    await moderate(fixture, { blocklist: ["rude"] });
    const flags = () =>
      stage.run(
        "internal",
        "select id, status from public.message_flags where message_id = $1 order by created_at, id",
        [message],
      );
    await stage.update(member, "messages", message, { metadata: { a: 1 } });
    assert.equal((await flags()).length, 0);
    await stage.takeEvents();
    const [edited] = await stage.update(member, "messages", message, { content: "rude" });
    assert.equal(edited?.["flagged"], true);
    assert.deepEqual(
      (await stage.takeEvents()).map(({ type }) => type),
      ["message.updated", "message.flagged"],
    );
    await stage.update(member, "messages", message, { content: "rude again" });
    const [flag, ...others] = await flags();
    assert.deepEqual([flag?.["status"], others], ["open", []]);
    // Better words do not undo the flag: somebody has to look at it.
    const [better] = await stage.update(member, "messages", message, { content: "kind" });
    assert.equal(better?.["flagged"], true);
    await stage.update(admin, "message_flags", flag?.id, { status: "dismissed" });
    assert.equal((await stage.find(member, "messages", message))?.["flagged"], false);
    await stage.update(member, "messages", message, { content: "rude" });
    assert.deepEqual(
      (await flags()).map(({ status }) => status),
      ["dismissed", "open"],
    );
    assert.equal((await stage.find(member, "messages", message))?.["swarm_id"], swarm);
  });

  it("rejects a message that it blocks, new or edited, and reveals nothing to a user outside of the swarm", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, member, viewer, outsider, swarm, message } = fixture;
    await moderate(fixture, { blocklist: ["rude"], action: "block" });
    const BLOCKED = { ...violates("messages_content_blocked"), column: "content" };
    const row = { swarm_id: swarm, content: "so rude" };
    await rejects(stage.insert(member, "messages", row), BLOCKED);
    await rejects(stage.insert("service_role", "messages", { ...row, sender_user_id: member }), BLOCKED);
    await rejects(stage.insert("internal", "messages", { ...row, sender_user_id: member }), BLOCKED);
    await rejects(stage.update(member, "messages", message, { content: "rude" }), BLOCKED);
    assert.equal((await stage.find(member, "messages", message))?.["content"], "Hello");
    for (const caller of [viewer, outsider]) await rejects(stage.insert(caller, "messages", row), { code: "42501" });
    const next = await stage.insert(member, "messages", { swarm_id: swarm, content: "polite" });
    assert.deepEqual([next["seq"], next["flagged"]], ["2", false]);
  });

  it("does nothing while moderation is off", async () => {
    const fixture = await openSwarmFixture(opened.stage);
    const { stage, member, swarm } = fixture;
    for (const settings of [
      {},
      { moderation: {} },
      { moderation: { blocklist: ["rude"], action: "block" } },
      { moderation: { enabled: true } },
      { moderation: { enabled: false, blocklist: ["rude"], action: "block" } },
    ]) {
      await stage.update(fixture.owner, "swarms", swarm, { settings });
      const { flagged } = await stage.insert(member, "messages", { swarm_id: swarm, content: "rude" });
      assert.equal(flagged, false, JSON.stringify(settings));
    }
  });
});
