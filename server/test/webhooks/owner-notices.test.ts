import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { findOwnerLink, type OwnerNotice } from "../../src/webhooks/index.ts";
import { startReceiver } from "./support/receiver.ts";
import { openStage, type RunningNode, type Stage, until } from "./support/stage.ts";

let stage: Stage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openStage({ after: (close) => closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const times = { noticePollMs: 10 };

/** A node that keeps the mails it is to send; they fail for as long as `isDown` says so. */
function startMailing(t: TestContext, isDown = (): boolean => false): { node: RunningNode; mails: OwnerNotice[] } {
  const mails: OwnerNotice[] = [];
  const mailOwner = async (notice: OwnerNotice): Promise<void> => {
    if (isDown()) throw new Error("the mail server is away");
    mails.push(notice);
  };
  const node = stage.start({ times, mailOwner });
  // A test that fails must not leave one that takes the mails of the next.
  t.after(() => node.stop());
  return { node, mails };
}

async function newOwner(): Promise<string> {
  const id = await stage.newUser();
  await stage.sql.query("update auth.users set email_confirmed_at = now() where id = $1", [id]);
  return id;
}

async function switchOff(webhookId: string, reason = "endpoint_gone"): Promise<void> {
  await stage.sql.query(
    "update public.webhooks set is_active = false, disabled_reason = $2, disabled_at = now() where id = $1",
    [webhookId, reason],
  );
}

const noticesOf = (userId: string): Promise<{ sent_at: Date | null; attempts: number }[]> =>
  stage.rows("select sent_at, attempts from private.webhook_notices where user_id = $1 order by created_at", [userId]);

test("the link in a mail leads to the console where it is served, else to the operator's application", () => {
  const one = { webhooks: [{ webhookId: "w1", name: "", reason: "", at: new Date() }] };
  const two = { webhooks: [...one.webhooks, ...one.webhooks] };
  const settings = { console: true, publicUrl: null, siteUrl: null, roles: ["api", "worker"] as const };
  const base = "https://hooks.example";
  assert.equal(findOwnerLink(settings, base, one), "https://hooks.example/webhooks/w1");
  assert.equal(findOwnerLink(settings, `${base}/`, two), "https://hooks.example/webhooks");
  const worker = { ...settings, roles: ["worker"] as const };
  assert.equal(findOwnerLink(worker, base, one), null);
  assert.equal(findOwnerLink({ ...worker, publicUrl: base }, base, one), "https://hooks.example/webhooks/w1");
  const bare = { ...settings, console: false, siteUrl: "https://app.example" };
  assert.equal(findOwnerLink(bare, base, one), "https://app.example");
});

describe("an owner whose webhook was switched off", () => {
  test("is mailed once, with its name, the reason and the time, however many nodes there are", async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer = () => ({ status: 410 });
    const user = await newOwner();
    const webhook = await stage.newWebhook(user, receiver.url, { name: "Orders" });
    const nodes = [startMailing(t), startMailing(t)];
    await stage.newAgents(user);
    nodes[0]?.node.room.wake();
    await until(async () => (await noticesOf(user))[0]?.sent_at instanceof Date, "the mail was sent");
    const mails = nodes.flatMap((node) => node.mails);
    const [row] = await stage.rows<{ disabled_at: Date }>("select disabled_at from public.webhooks where id = $1", [
      webhook,
    ]);
    assert.deepEqual(mails, [
      {
        email: `${user}@example.test`,
        webhooks: [{ webhookId: webhook, name: "Orders", reason: "endpoint_gone", at: row?.disabled_at }],
      },
    ]);
    await Promise.all(nodes.map(({ node }) => node.stop()));
    assert.equal(nodes.flatMap((node) => node.mails).length, 1);
  });

  test("is mailed by a later node when the one that switched it off died before it could", async (t) => {
    const user = await newOwner();
    const webhook = await stage.newWebhook(user, "https://example.test/");
    await switchOff(webhook, "endpoint_failing");
    // A node that claimed the mail and died: its lease is over.
    await stage.sql.query(
      "update private.webhook_notices set claim = gen_random_uuid(), attempts = 1 where webhook_id = $1",
      [webhook],
    );
    const { node, mails } = startMailing(t);
    await until(() => mails.length === 1, "the mail is sent");
    await until(async () => (await noticesOf(user))[0]?.sent_at instanceof Date, "it is marked as sent");
    await node.stop();
    assert.equal(mails[0]?.webhooks[0]?.reason, "endpoint_failing");
  });

  test("is mailed when the mail server is back", async (t) => {
    const user = await newOwner();
    const webhook = await stage.newWebhook(user, "https://example.test/");
    let isDown = true;
    const { node, mails } = startMailing(t, () => isDown);
    await switchOff(webhook, "queue_full");
    await until(() => node.notes.some(({ name }) => name === "webhook.notice_failed"), "the mail fails");
    const isPostponed = async (): Promise<boolean> => {
      const [waiting] = await stage.rows<{ claim: string | null; wait: number }>(
        "select claim, extract(epoch from run_at - created_at)::float8 as wait from private.webhook_notices where webhook_id = $1",
        [webhook],
      );
      return waiting?.claim === null && waiting.wait >= 60;
    };
    await until(isPostponed, "the next attempt is made in a minute");
    isDown = false;
    await stage.sql.query("update private.webhook_notices set run_at = now() where webhook_id = $1", [webhook]);
    await until(() => mails.length === 1, "the mail is sent");
    await node.stop();
    assert.deepEqual(
      (await noticesOf(user)).map(({ attempts }) => attempts),
      [2],
    );
  });

  test("gets one mail an hour, about all that was switched off meanwhile", async (t) => {
    const user = await newOwner();
    const [first, second, third] = await Promise.all(
      ["one", "two", "three"].map((name) => stage.newWebhook(user, "https://example.test/", { name })),
    );
    const { node, mails } = startMailing(t);
    await switchOff(first ?? "");
    await until(() => mails.length === 1, "the first mail");
    await switchOff(second ?? "");
    await switchOff(third ?? "");
    // Another owner is mailed meanwhile, so that these two could have been.
    const other = await newOwner();
    await switchOff(await stage.newWebhook(other, "https://example.test/"));
    await until(() => mails.length === 2, "the other owner's mail");
    assert.equal(mails[1]?.email, `${other}@example.test`);
    await stage.sql.query(
      "update private.webhook_notices set sent_at = sent_at - interval '61 minutes' where user_id = $1",
      [user],
    );
    await until(() => mails.length === 3, "the second mail");
    await until(async () => (await noticesOf(user)).length === 2, "what was sent long ago is removed");
    await node.stop();
    assert.deepEqual(mails[2]?.webhooks.map(({ name }) => name).toSorted(), ["three", "two"]);
  });

  test("is not mailed about what is on again, without a confirmed address, or about what they did themselves", async (t) => {
    const [owner, unconfirmed] = [await newOwner(), await stage.newUser()];
    const again = await stage.newWebhook(owner, "https://example.test/");
    await switchOff(again);
    await stage.sql.query("update public.webhooks set is_active = true where id = $1", [again]);
    await switchOff(await stage.newWebhook(unconfirmed, "https://example.test/"));
    const own = await stage.newWebhook(owner, "https://example.test/");
    await stage.sql.query("update public.webhooks set is_active = false where id = $1", [own]);
    const banned = await stage.newWebhook(owner, "https://example.test/");
    await switchOff(banned, "account_banned");
    const { node, mails } = startMailing(t);
    await until(
      async () => [...(await noticesOf(owner)), ...(await noticesOf(unconfirmed))].length === 0,
      "nothing is to be told",
    );
    const last = await stage.newWebhook(owner, "https://example.test/", { name: "last" });
    await switchOff(last);
    await until(() => mails.length > 0, "what is to be told is told");
    await node.stop();
    assert.deepEqual(
      mails.map(({ webhooks }) => webhooks.map(({ name }) => name)),
      [["last"]],
    );
  });
});
