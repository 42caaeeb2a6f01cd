import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type AuthContextOverrides, createAuthContext } from "./support/auth-context.ts";
import { sendDueMails } from "./support/send-due-mails.ts";

async function openWebhookMails(t: TestContext, overrides: AuthContextOverrides = {}) {
  const auth = await createAuthContext(t, overrides);
  const { owner } = auth.database;
  const addUser = async (email: string, isConfirmed = true): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>(
      "insert into auth.users (email, email_confirmed_at) values ($1, case when $2 then now() end) returning id",
      [email, isConfirmed],
    );
    return rows[0]?.id ?? "";
  };
  const addWebhook = async (userId: string, name = "Orders"): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>(
      `insert into public.webhooks (user_id, name, url, events)
       values ($1, $2, 'https://example.test/', '{agent.created}') returning id`,
      [userId, name],
    );
    return rows[0]?.id ?? "";
  };
  const switchOff = (ids: readonly string[], reason = "endpoint_gone") =>
    owner.query(
      "update public.webhooks set is_active = false, disabled_reason = $2, disabled_at = now() where id = any ($1)",
      [ids, reason],
    );
  const namesInMail = () => auth.mails.map(({ values }) => values.switchedOff?.map(({ name }) => name));
  return {
    ...auth,
    owner,
    addUser,
    addWebhook,
    switchOff,
    namesInMail,
    send: (nodes?: number) => sendDueMails(auth, nodes),
  };
}

describe("the mail about disabled webhooks", () => {
  it("is sent once, with name, reason, time and link, however many nodes there are", async (t) => {
    const { owner, mails, addUser, addWebhook, switchOff, send } = await openWebhookMails(t);
    const webhook = await addWebhook(await addUser("ada@example.com"));
    await switchOff([webhook]);
    await send(3);
    const { rows } = await owner.query<{ at: Date }>("select disabled_at as at from public.webhooks where id = $1", [
      webhook,
    ]);
    assert.deepEqual(
      mails.map(({ to, kind, values }) => ({ to, kind, values })),
      [
        {
          to: "ada@example.com",
          kind: "webhook_disabled",
          values: {
            link: `https://localhost:8443/webhooks/${webhook}`,
            siteUrl: "https://localhost:8443",
            switchedOff: [{ name: "Orders", reason: "endpoint_gone", at: rows[0]?.at }],
          },
        },
      ],
    );
  });

  it("links to the operator's application where no console is served", async (t) => {
    const settings = { consoleEnabled: false, siteUrl: "https://app.example" };
    const { mails, addUser, addWebhook, switchOff, send } = await openWebhookMails(t, { settings });
    await switchOff([await addWebhook(await addUser("ada@example.com"))], "queue_full");
    await send();
    assert.equal(mails[0]?.values.link, "https://app.example");
  });

  it("is sent again by another node when the first one died while it held the mail", async (t) => {
    const { owner, mails, addUser, addWebhook, switchOff, send } = await openWebhookMails(t);
    await switchOff([await addWebhook(await addUser("ada@example.com"))], "endpoint_failing");
    await owner.query("update private.mail_outbox set attempts = 1");
    await send();
    assert.deepEqual(
      mails.map(({ values }) => values.switchedOff?.map(({ reason }) => reason)),
      [["endpoint_failing"]],
    );
  });

  it("names together what was switched off before it is sent, and comes once an hour", async (t) => {
    const { owner, addUser, addWebhook, switchOff, namesInMail, send } = await openWebhookMails(t);
    const ada = await addUser("ada@example.com");
    const bob = await addUser("bob@example.com");
    const one = await addWebhook(ada, "one");
    const two = await addWebhook(ada, "two");
    const three = await addWebhook(ada, "three");
    const four = await addWebhook(ada, "four");
    const five = await addWebhook(bob, "five");
    await switchOff([one, five]);
    await owner.query("update public.webhooks set is_active = true where id = $1", [one]);
    await switchOff([one]);
    await switchOff([two]);
    await send();
    assert.deepEqual(new Set(namesInMail().map(String)), new Set(["five", "one,two"]));
    await switchOff([three]);
    await switchOff([four]);
    await send();
    assert.equal(namesInMail().length, 2, "the next mail waits for its hour");
    const { rows } = await owner.query(
      `select due_at - (select max(ended_at) from private.mail_outbox where user_id = $1) = interval '1 hour' as waits
       from private.mail_outbox where ended_at is null`,
      [ada],
    );
    assert.deepEqual(rows, [{ waits: true }]);
    await owner.query("update private.mail_outbox set due_at = now() where ended_at is null");
    await send();
    assert.deepEqual(namesInMail().at(-1), ["three", "four"]);
  });

  it("is not lost when a webhook is switched off while an earlier mail is being sent", async (t) => {
    const late: string[] = [];
    const opened = await openWebhookMails(t, {
      onMail: async () => {
        const id = late.pop();
        if (id !== undefined) await opened.switchOff([id]);
      },
    });
    const { owner, addUser, addWebhook, switchOff, namesInMail, send } = opened;
    const ada = await addUser("ada@example.com");
    late.push(await addWebhook(ada, "late"));
    await switchOff([await addWebhook(ada, "early")]);
    await send();
    await owner.query("update private.mail_outbox set due_at = now() where ended_at is null");
    await send();
    assert.deepEqual(namesInMail(), [["early"], ["late"]]);
  });

  it("is not sent about webhooks that are on again, to unconfirmed or banned owners, or for other reasons", async (t) => {
    const { owner, mails, addUser, addWebhook, switchOff, send } = await openWebhookMails(t);
    const ada = await addUser("ada@example.com");
    const again = await addWebhook(ada);
    await switchOff([again]);
    await owner.query("update public.webhooks set is_active = true where id = $1", [again]);
    await switchOff([await addWebhook(await addUser("unconfirmed@example.com", false))]);
    const banned = await addUser("banned@example.com");
    await switchOff([await addWebhook(banned)]);
    await owner.query("update auth.users set banned_until = now() + interval '1 day' where id = $1", [banned]);
    await send();
    await owner.query("update public.webhooks set is_active = false where id = $1", [await addWebhook(ada)]);
    await switchOff([await addWebhook(ada)], "account_banned");
    await send();
    assert.deepEqual(mails, []);
    const { rows } = await owner.query("select distinct outcome from private.mail_outbox");
    assert.deepEqual(rows, [{ outcome: "obsolete" }]);
  });
});
