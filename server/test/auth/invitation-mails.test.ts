import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createAuthContext } from "./support/auth-context.ts";
import { sendDueMails } from "./support/send-due-mails.ts";

const SITE = "https://app.example.com/base/";

async function openInvitations(t: TestContext) {
  const auth = await createAuthContext(t, { settings: { siteUrl: SITE } });
  const { mails } = auth;
  const { owner } = auth.database;
  const addUser = async (email: string, fullName: string | null = null): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>(
      "insert into auth.users (email, email_confirmed_at, user_metadata) values ($1, now(), $2) returning id",
      [email, { full_name: fullName }],
    );
    return rows[0]?.id ?? "";
  };
  const addSwarm = async (ownerId: string, name: string): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>(
      "insert into public.swarms (owner_id, name) values ($1, $2) returning id",
      [ownerId, name],
    );
    return rows[0]?.id ?? "";
  };
  const invite = (swarmId: string, inviterId: string, emails: readonly string[]) =>
    owner.query(
      `insert into public.swarm_members (swarm_id, invited_email, invited_by) select $1, email, $2 from unnest($3::text[]) email`,
      [swarmId, inviterId, emails],
    );
  const send = (): Promise<void> => sendDueMails(auth);
  return { owner, mails, addUser, addSwarm, invite, send };
}

describe("invitation mails", () => {
  it("name the swarm and the inviter and link to the invitation, with or without an account", async (t) => {
    const { owner, mails, addUser, addSwarm, invite, send } = await openInvitations(t);
    const ada = await addUser("ada@example.com", "Ada L");
    const bob = await addUser("bob@example.com");
    const swarm = await addSwarm(ada, "Release crew");
    await invite(swarm, ada, ["carl@example.com"]);
    await owner.query("insert into public.swarm_members (swarm_id, user_id, invited_by) values ($1, $2, $3)", [
      swarm,
      bob,
      ada,
    ]);
    const { rows } = await owner.query("select * from private.mail_outbox where email = 'bob@example.com'");
    assert.deepEqual(rows, [], "the address of an account is looked up when the mail is sent");
    await send();
    const link = `https://app.example.com/base/invitations/${swarm}`;
    const values = {
      siteUrl: SITE,
      swarmName: "Release crew",
      inviterName: "Ada L",
    };
    assert.deepEqual(
      mails
        .map(({ to, kind, values: { link: sent = "", ...rest } }) => ({
          to,
          kind,
          link: sent.split("=")[0],
          values: rest,
        }))
        .toSorted((a, b) => a.to.localeCompare(b.to)),
      [
        { to: "bob@example.com", kind: "swarm_invitation", link, values },
        { to: "carl@example.com", kind: "swarm_invitation", link: `${link}#secret`, values },
      ],
    );
  });

  it("have the same secret in every attempt", async (t) => {
    const { owner, mails, addUser, addSwarm, invite, send } = await openInvitations(t);
    const ada = await addUser("ada@example.com");
    await invite(await addSwarm(ada, "Crew"), ada, ["carl@example.com"]);
    await send();
    await owner.query("update private.mail_outbox set ended_at = null, outcome = null, due_at = now()");
    await send();
    assert.equal(mails.length, 2);
    assert.equal(mails[0]?.values.link, mails[1]?.values.link);
  });

  it("name an inviter without a name by the e-mail address", async (t) => {
    const { mails, addUser, addSwarm, invite, send } = await openInvitations(t);
    const ada = await addUser("ada@example.com", "  ");
    await invite(await addSwarm(ada, "Crew"), ada, ["carl@example.com"]);
    await send();
    assert.equal(mails[0]?.values.inviterName, "ada@example.com");
  });

  it("are not sent for an invitation that was answered or withdrawn, nor for members who are active", async (t) => {
    const { owner, mails, addUser, addSwarm, invite, send } = await openInvitations(t);
    const ada = await addUser("ada@example.com", "Ada");
    const bob = await addUser("bob@example.com");
    const swarm = await addSwarm(ada, "Crew");
    await invite(swarm, ada, ["gone@example.com"]);
    await owner.query("insert into public.swarm_members (swarm_id, user_id, invited_by) values ($1, $2, $3)", [
      swarm,
      bob,
      ada,
    ]);
    await owner.query("delete from public.swarm_members where invited_email is not null");
    await owner.query("update public.swarm_members set status = 'active' where user_id = $1", [bob]);
    await send();
    assert.deepEqual(mails, []);
    const { rows } = await owner.query("select outcome from private.mail_outbox");
    assert.deepEqual(rows, [{ outcome: "obsolete" }, { outcome: "obsolete" }]);
  });

  it("are sent at most once a day per person and swarm", async (t) => {
    const { owner, mails, addUser, addSwarm, invite, send } = await openInvitations(t);
    const ada = await addUser("ada@example.com", "Ada");
    const swarm = await addSwarm(ada, "Crew");
    for (let round = 0; round < 3; round += 1) {
      await owner.query("delete from public.swarm_members where invited_email is not null");
      await invite(swarm, ada, ["carl@example.com"]);
      await send();
    }
    assert.equal(mails.length, 1);
    await owner.query("update private.mail_outbox set created_at = now() - interval '25 hours'");
    await owner.query("delete from public.swarm_members where invited_email is not null");
    await invite(swarm, ada, ["carl@example.com"]);
    await send();
    assert.equal(mails.length, 2);
  });

  it("are limited to sixty an hour per inviter; the others are sent later", async (t) => {
    const { owner, addUser, addSwarm, invite } = await openInvitations(t);
    const ada = await addUser("ada@example.com", "Ada");
    const eve = await addUser("eve@example.com", "Eve");
    const addresses = Array.from({ length: 100 }, (_, n) => `reader-${n}@example.com`);
    await invite(await addSwarm(ada, "First"), ada, addresses);
    await invite(await addSwarm(ada, "Second"), ada, addresses.slice(0, 30));
    await invite(await addSwarm(eve, "Third"), eve, addresses.slice(0, 1));
    const { rows } = await owner.query(
      `select p.full_name, round(extract(epoch from o.due_at - o.created_at) / 3600)::int as hours, count(*)::int
       from private.mail_outbox o join public.profiles p on p.id = o.sender_id group by 1, 2 order by 1, 2`,
    );
    assert.deepEqual(rows, [
      { full_name: "Ada", hours: 0, count: 60 },
      { full_name: "Ada", hours: 1, count: 60 },
      { full_name: "Ada", hours: 2, count: 10 },
      { full_name: "Eve", hours: 0, count: 1 },
    ]);
  });
});
