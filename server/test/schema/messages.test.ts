import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { FORBIDDEN, openStage, violates, rejects, type Row } from "./support/stage.ts";

const REJECTED: readonly [string, Record<string, unknown>][] = [
  ["messages_content_length", { content: "" }],
  ["messages_content_length", { content: "𝕏".repeat(100_001) }],
  ["messages_content_present", { content: null }],
  ["messages_content_type_known", { content_type: "html" }],
  ["messages_mentions_count", { mentions: Array.from({ length: 101 }, () => randomUUID()) }],
  ["messages_metadata_object", { metadata: "[]" }],
  ["messages_metadata_size", { metadata: { a: "a".repeat(32_768) } }],
  ["messages_client_message_id_length", { client_message_id: "a".repeat(256) }],
];

interface SwarmFixture {
  owner: string;
  admin: string;
  member: string;
  viewer: string;
  outsider: string;
  swarm_id: string;
}

describe("messages", () => {
  const opened = openStage();
  let fixture: SwarmFixture;

  before(async () => {
    const { stage } = opened;
    const [owner, admin, member, viewer, outsider] = [
      await stage.newUser({ user_metadata: { full_name: " Olga " } }),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
    ];
    const swarm_id = await stage.newSwarm(owner, { [admin]: "admin", [member]: "member", [viewer]: "viewer" });
    fixture = { owner, admin, member, viewer, outsider, swarm_id };
  });

  const say = (caller: string, record: Record<string, unknown> = {}): Promise<Row> => {
    const named = caller === "internal" ? "public.messages" : "messages";
    return opened.stage.insert(caller, named, { swarm_id: fixture.swarm_id, content: "Hello", ...record });
  };

  it("are signed by the caller, whatever is sent", async () => {
    const forged = {
      seq: 9999,
      sender_type: "agent",
      sender_id: fixture.admin,
      sender_user_id: fixture.admin,
      sender_agent_id: randomUUID(),
      sender_name: "Admin",
      sender_deleted: true,
      run_id: randomUUID(),
      turn_id: randomUUID(),
      finish_reason: "stop",
      data: { forged: true },
      edited_at: "2000-01-01",
      deleted_at: "2000-01-01",
      deleted_by: fixture.admin,
      flagged: true,
      created_at: "2000-01-01",
    };
    const { id, created_at, seq, ...rest } = await say(fixture.owner, forged);
    assert.ok(id !== "" && Number(seq) < 9999 && (created_at as Date).getFullYear() > 2000);
    for (const [field, value] of [...Object.entries(forged), ["flagged", null] as const]) {
      const stored = await say(fixture.owner, { [field]: value });
      if (field !== "seq" && field !== "created_at") assert.deepEqual(stored[field], rest[field], field);
    }
    assert.deepEqual(rest, {
      swarm_id: fixture.swarm_id,
      sender_type: "user",
      sender_id: fixture.owner,
      sender_user_id: fixture.owner,
      sender_agent_id: null,
      sender_name: "Olga",
      sender_deleted: false,
      content: "Hello",
      content_type: "text",
      reply_to_id: null,
      run_id: null,
      turn_id: null,
      finish_reason: null,
      mentions: [],
      metadata: {},
      client_message_id: null,
      edited_at: null,
      deleted_at: null,
      deleted_by: null,
      flagged: false,
      data: null,
    });
    assert.equal((await say(fixture.member))["sender_name"], "User");
  });

  it("of agents and of the system come from the service", async () => {
    const agent = await opened.stage.newAgent(fixture.owner, { name: "Bot" });
    for (const caller of ["service_role", "internal"]) {
      const reply = await say(caller, { sender_type: "agent", sender_agent_id: agent });
      assert.deepEqual([reply["sender_id"], reply["sender_name"]], [agent, "Bot"]);
      assert.equal((await say(caller, { sender_type: "system" }))["sender_name"], "system");
      await rejects(say(caller, { sender_type: "agent" }), violates("messages_sender_agent_id_present"));
    }
  });

  it("have data from the run engine alone, until they are edited or deleted", async () => {
    const { stage } = opened;
    const agent = await stage.newAgent(fixture.owner, { name: "Bot" });
    const record = { sender_type: "agent", sender_agent_id: agent, data: { a: 1 } };
    const dataOf = async (id: unknown): Promise<unknown> =>
      (await stage.find("service_role", "messages", String(id)))?.["data"];
    assert.equal(await dataOf((await say("service_role", record)).id), null);
    const { id } = await say("internal", record);
    assert.deepEqual(await dataOf(id), { a: 1 });
    const change = "update public.messages set data = '2' where id = $1";
    await rejects(stage.run("service_role", change, [id]), { code: "23514" });
    await stage.run("service_role", "update public.messages set metadata = '{}' where id = $1", [id]);
    assert.deepEqual(await dataOf(id), { a: 1 });
    await stage.run("service_role", "update public.messages set content = 'else' where id = $1", [id]);
    assert.equal(await dataOf(id), null);
    const other = await say("internal", record);
    await stage.remove(fixture.owner, "messages", other.id);
    assert.equal(await dataOf(other.id), null);
    await rejects(
      say("internal", { ...record, data: JSON.stringify("a".repeat(2_097_151)) }),
      violates("messages_data_size"),
    );
  });

  it("are written by members who may write, in bounds", async () => {
    for (const caller of [fixture.owner, fixture.admin, fixture.member]) await say(caller, { content: "𝕏".repeat(10) });
    for (const caller of [fixture.viewer, fixture.outsider]) await rejects(say(caller), FORBIDDEN);
    for (const [constraint, record] of REJECTED)
      await rejects(say(fixture.member, record), violates(constraint), constraint);
    await rejects(say(fixture.member, { swarm_id: randomUUID() }), FORBIDDEN);
    await rejects(say("service_role", { swarm_id: randomUUID(), sender_user_id: fixture.owner }), {
      code: "23503",
      constraint: "messages_swarm_id_fkey",
    });
    assert.deepEqual(await opened.stage.run(fixture.outsider, "select id from messages"), []);
  });

  it("name an unknown kind of sender for what it is", async () => {
    await rejects(say("service_role", { sender_type: "robot" }), violates("messages_sender_type_known"));
  });

  it("say once what the client names", async () => {
    const named = { client_message_id: "one" };
    await say(fixture.member, named);
    await rejects(say(fixture.member, named), { code: "23505", constraint: "messages_client_message_id_key" });
    await say(fixture.owner, named);
  });

  it("answer messages of the same swarm alone", async () => {
    const { stage } = opened;
    const elsewhere = await say(fixture.owner, { swarm_id: await stage.newSwarm(fixture.owner) });
    await rejects(say(fixture.owner, { reply_to_id: elsewhere.id }), {
      code: "23503",
      constraint: "messages_reply_to_id_fkey",
    });
    const question = await say(fixture.owner);
    const answer = await say(fixture.member, { reply_to_id: question.id });
    assert.equal(answer["reply_to_id"], question.id);
    await stage.remove(fixture.owner, "messages", question.id);
    assert.equal((await stage.find(fixture.owner, "messages", answer.id))?.["reply_to_id"], question.id);
    await stage.remove("service_role", "messages", question.id);
    assert.equal((await stage.find(fixture.owner, "messages", answer.id))?.["reply_to_id"], null);
  });

  it("are numbered without gaps, in the order of their commits", async () => {
    const { stage } = opened;
    const swarm_id = await stage.newSwarm(fixture.owner, { [fixture.member]: "member" });
    const committed: number[] = [];
    const speak = async (caller: string, place: number): Promise<void> => {
      const isRejected = place % 5 === 4;
      await stage
        .transaction(caller, async (query) => {
          const [row] = await query("insert into messages (swarm_id, content) values ($1, 'a') returning seq", [
            swarm_id,
          ]);
          if (isRejected) throw new Error("taken back");
          return Number(row?.["seq"]);
        })
        .then((seq) => committed.push(seq))
        .catch((error: unknown) => assert.equal((error as Error).message, "taken back"));
    };
    await Promise.all(
      Array.from({ length: 40 }, (_, place) => speak(place % 2 === 0 ? fixture.owner : fixture.member, place)),
    );
    const rows = await stage.run(fixture.owner, "select seq from messages where swarm_id = $1 order by seq", [
      swarm_id,
    ]);
    assert.deepEqual(
      rows.map((row) => Number(row["seq"])),
      Array.from({ length: 32 }, (_, place) => place + 1),
    );
    assert.deepEqual(
      committed.toSorted((a, b) => a - b),
      Array.from({ length: 32 }, (_, place) => place + 1),
    );
  });

  it("do not make the rejected insert of an outsider wait for the lock of the swarm", async () => {
    const { stage } = opened;
    await stage.transaction(fixture.owner, async (query) => {
      await query("insert into messages (swarm_id, content) values ($1, 'a')", [fixture.swarm_id]);
      await rejects(say(fixture.outsider), FORBIDDEN);
    });
  });

  it("keep what was said before", async () => {
    const { stage } = opened;
    const { id, created_at } = await say(fixture.member);
    const edit = (record: Record<string, unknown>) => stage.update(fixture.member, "messages", id, record);
    const [same] = await edit({
      content: "Hello",
      metadata: { a: 1 },
      created_at: "2000-01-01",
      edited_at: "2000-01-01",
    });
    assert.deepEqual([same?.["edited_at"], same?.["created_at"]], [null, created_at]);
    assert.ok((await edit({ content: "Second" }))[0]?.["edited_at"] instanceof Date);
    await edit({ content: "Third" });
    const revisions = await stage.run(
      fixture.viewer,
      "select revision, content, edited_by from message_revisions where message_id = $1 order by revision",
      [id],
    );
    assert.deepEqual(revisions, [
      { revision: 1, content: "Hello", edited_by: fixture.member },
      { revision: 2, content: "Second", edited_by: fixture.member },
    ]);
    for (const caller of [fixture.owner, fixture.admin, fixture.viewer, fixture.outsider])
      assert.deepEqual(await stage.update(caller, "messages", id, { content: "Mine" }), []);
    for (const record of [
      { sender_name: "x" },
      { reply_to_id: id },
      { flagged: true },
      { deleted_at: new Date() },
      { client_message_id: "x" },
    ])
      await rejects(edit(record), violates(`messages_${Object.keys(record)[0]}_immutable`));
    for (const caller of [fixture.member, "service_role"])
      await rejects(stage.update(caller, "messages", id, { seq: 1 }), violates("messages_seq_immutable"));
    await rejects(stage.run(fixture.member, "update message_revisions set content = ''"), FORBIDDEN);
  });

  it("leave a tombstone when deleted by author, owner or admin", async () => {
    const { stage } = opened;
    for (const caller of [fixture.member, fixture.owner, fixture.admin]) {
      const { id, seq } = await say(fixture.member, { metadata: { a: 1 }, mentions: [fixture.owner] });
      await stage.update(fixture.member, "messages", id, { content: "Edited" });
      for (const other of [fixture.viewer, fixture.outsider]) await stage.remove(other, "messages", id);
      assert.equal((await stage.find(fixture.viewer, "messages", id))?.["content"], "Edited");
      await stage.remove(caller, "messages", id);
      const stone = await stage.find(fixture.viewer, "messages", id);
      assert.deepEqual(
        [
          stone?.["content"],
          stone?.["metadata"],
          stone?.["mentions"],
          stone?.["seq"],
          stone?.["deleted_by"],
          stone?.["sender_id"],
        ],
        [null, {}, [], seq, caller, fixture.member],
      );
      assert.deepEqual(
        await stage.run(fixture.viewer, "select * from message_revisions where message_id = $1", [id]),
        [],
      );
      assert.deepEqual(await stage.update(fixture.member, "messages", id, { content: "Back" }), []);
      await stage.remove(caller, "messages", id);
      assert.notEqual(await stage.find(fixture.viewer, "messages", id), undefined);
      await stage.remove("service_role", "messages", id);
      assert.equal(await stage.find(fixture.viewer, "messages", id), undefined);
    }
  });

  it("outlive their author", async () => {
    const { stage } = opened;
    const guest = await stage.newUser({ user_metadata: { full_name: "Gustav" } });
    await stage.insert("service_role", "swarm_members", {
      swarm_id: fixture.swarm_id,
      user_id: guest,
      status: "active",
    });
    const agent = await stage.newAgent(fixture.owner, { name: "Bot" });
    const said = await say(guest);
    const replied = await say("service_role", { sender_type: "agent", sender_agent_id: agent });
    await stage.remove(fixture.owner, "agents", agent);
    await stage.run("internal", "delete from auth.users where id = $1", [guest]);
    for (const [{ id, content }, sender, name] of [
      [said, guest, "Gustav"],
      [replied, agent, "Bot"],
    ] as const) {
      const row = await stage.find(fixture.owner, "messages", id);
      assert.deepEqual(
        [
          row?.["content"],
          row?.["sender_id"],
          row?.["sender_name"],
          row?.["sender_deleted"],
          row?.["sender_user_id"],
          row?.["sender_agent_id"],
        ],
        [content, sender, name, true, null, null],
      );
    }
  });
});
