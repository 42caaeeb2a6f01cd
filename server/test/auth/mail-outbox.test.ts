import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it, type TestContext } from "node:test";
import pg from "pg";
import { createMailer, createMailOutbox } from "../../src/auth/index.ts";
import { NO_HOOKS } from "../../src/auth/hooks/open-hooks.ts";
import type { ComposeMail } from "../../src/auth/outbox/compose-mail.ts";
import { decideMailRetrySeconds } from "../../src/auth/outbox/outbox-worker.ts";
import { systemClock } from "../../src/time/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startSmtpServer } from "./mail-smtp-server.ts";
import { buildAuthSettings } from "./support/auth-settings.ts";

const compose: ComposeMail = async (_context, { to, data }) =>
  data["isGone"] === true ? [] : [{ to, kind: "address_taken", values: { siteUrl: "https://site.example" } }];

async function openOutbox(t: TestContext, smtpUrl: string | null) {
  const { owner, url } = await createTestDatabase(t);
  const pool = new pg.Pool({ connectionString: url("sb_service"), max: 8 });
  pool.on("error", () => {});
  t.after(() => pool.end());
  const dataDir = await createTemporaryFolder(t, "outbox-");
  const settings = { dataDir, mailFrom: "Sender <sender@example.com>", smtpUrl };
  const mailer = await createMailer({ settings, observer: silentObserver, clock: systemClock });
  t.after(() => mailer.close());
  const context = {
    pool,
    clock: systemClock,
    masterKey: "",
    observer: silentObserver,
    mailer,
    hooks: NO_HOOKS,
    baseUrl: "https://localhost",
    settings: buildAuthSettings({}),
  };
  /** Runs workers until the rows meet the condition. */
  const workUntil = async (isSo: (rows: readonly OutboxRow[]) => boolean, workers = 1): Promise<OutboxRow[]> => {
    const ending = new AbortController();
    const running = Array.from({ length: workers }, () =>
      createMailOutbox(context, { composers: { notice: compose }, random: () => 0.5, pollMs: 10 }).worker.run(
        ending.signal,
      ),
    );
    try {
      for (;;) {
        const rows = await read();
        if (isSo(rows)) return rows;
        await sleep(10);
      }
    } finally {
      ending.abort();
      await Promise.all(running);
    }
  };
  const read = async (): Promise<OutboxRow[]> =>
    (
      await owner.query<OutboxRow>(
        `select id, outcome, attempts, extract(epoch from due_at - now())::float as due_in
         from private.mail_outbox order by created_at, id`,
      )
    ).rows;
  return { owner, dataDir, workUntil, read };
}

interface OutboxRow {
  readonly id: string;
  readonly outcome: string | null;
  readonly attempts: number;
  readonly due_in: number;
}

const areEnded = (rows: readonly OutboxRow[]): boolean => rows.every(({ outcome }) => outcome !== null);

describe("the mail outbox", () => {
  it("sends each mail once, however many workers poll", async (t) => {
    const server = await startSmtpServer(t);
    const { owner, workUntil } = await openOutbox(t, server.url);
    await owner.query(
      `insert into private.mail_outbox (kind, email) select 'notice', 'reader-' || n || '@example.com' from generate_series(1, 12) n`,
    );
    const rows = await workUntil(areEnded, 3);
    assert.deepEqual(new Set(rows.map(({ outcome }) => outcome)), new Set(["sent"]));
    assert.equal(new Set(server.received.map(({ to }) => to[0])).size, 12);
    assert.equal(server.received.length, 12);
  });

  it("writes to the confirmed address that an account has when the mail is sent", async (t) => {
    const server = await startSmtpServer(t);
    const { owner, workUntil } = await openOutbox(t, server.url);
    await owner.query(
      `with people as (insert into auth.users (email, email_confirmed_at)
                       values ('old@example.com', now()), ('unproven@example.com', null) returning id)
       insert into private.mail_outbox (kind, user_id) select 'notice', id from people`,
    );
    await owner.query("update auth.users set email = 'new@example.com' where email = 'old@example.com'");
    const rows = await workUntil(areEnded);
    assert.deepEqual(rows.map(({ outcome }) => `${outcome}`).toSorted(), ["obsolete", "sent"]);
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [["new@example.com"]],
    );
  });

  it("drops a mail whose reason no longer exists and leaves unknown kinds", async (t) => {
    const server = await startSmtpServer(t);
    const { owner, workUntil } = await openOutbox(t, server.url);
    await owner.query(
      `insert into private.mail_outbox (kind, email, data, due_at) values
         ('later_version', 'a@example.com', '{}', now() - interval '1 minute'), ('notice', 'a@example.com', '{"isGone": true}', now())`,
    );
    const rows = await workUntil((found) => found.some(({ outcome }) => outcome !== null));
    assert.deepEqual(rows.map(({ outcome, attempts }) => `${outcome} ${attempts}`).toSorted(), [
      "null 0",
      "obsolete 1",
    ]);
    assert.equal(server.received.length, 0);
  });

  it("repeats a mail under the same identity after a worker died before it could record the sending", async (t) => {
    const server = await startSmtpServer(t);
    const died = "update private.mail_outbox set ended_at = null, outcome = null, due_at = now()";
    for (const smtpUrl of [server.url, null]) {
      const { owner, dataDir, workUntil } = await openOutbox(t, smtpUrl);
      await owner.query("insert into private.mail_outbox (kind, email) values ('notice', 'reader@example.com')");
      await workUntil(areEnded);
      await owner.query(died);
      const [row] = await workUntil(areEnded);
      assert.equal(row?.attempts, 2);
      if (smtpUrl === null) {
        assert.equal((await readdir(`${dataDir}/mail`)).length, 1);
        continue;
      }
      const ids = server.received.map(({ source }) => /^Message-ID: <(.*)>\r$/im.exec(source)?.[1]);
      assert.deepEqual(ids, [`${row?.id}@example.com`, `${row?.id}@example.com`]);
    }
  });

  it("retries while the mail server is unavailable and gives up a recipient that the server rejects", async (t) => {
    let isAway = true;
    const server = await startSmtpServer(t, {
      onRcptTo: ({ address }, _session, callback) => {
        const responseCode = address.startsWith("nobody") ? 550 : 451;
        if (responseCode === 451 && !isAway) callback();
        else callback(Object.assign(new Error("not now"), { responseCode }));
      },
    });
    const { owner, workUntil } = await openOutbox(t, server.url);
    await owner.query(
      `insert into private.mail_outbox (kind, email, created_at) values
         ('notice', 'nobody@example.com', now() - interval '1 minute'), ('notice', 'reader@example.com', now())`,
    );
    const [rejected, waiting] = await workUntil(
      ([first, second]) => first?.outcome === "undeliverable" && second?.attempts === 1 && second.due_in < 61,
    );
    assert.deepEqual([rejected?.attempts, waiting?.outcome], [1, null]);
    isAway = false;
    await owner.query("update private.mail_outbox set due_at = now() where ended_at is null");
    const rows = await workUntil(areEnded);
    assert.equal(rows[1]?.outcome, "sent");
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [["reader@example.com"]],
    );
  });

  it("tries for a little more than a day", () => {
    const delays: number[] = [];
    for (let attempts = 1; ; attempts += 1) {
      const delay = decideMailRetrySeconds(attempts);
      if (delay === null) break;
      delays.push(delay);
    }
    assert.deepEqual(delays.slice(0, 5), [60, 300, 1_800, 7_200, 7_200]);
    const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3600;
    assert.ok(hours > 20 && hours < 30, `${hours} hours`);
  });
});
