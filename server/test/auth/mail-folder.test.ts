import assert from "node:assert/strict";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { createFolderMailer } from "../../src/auth/mail/folder-mailer.ts";
import type { Mail } from "../../src/auth/mail/mail.ts";
import { createMailer } from "../../src/auth/mail/mailer.ts";
import { AppError } from "../../src/errors/index.ts";
import { createObserver } from "../../src/observe/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const LINK =
  "https://localhost:8443/auth/v1/verify?token=pkce_0123abcd&type=signup&redirect_to=http%3A%2F%2Flocalhost%3A3000%2Fa%3Fmail%3Db%40c";
const MAIL: Mail = {
  to: "reader@example.com",
  kind: "confirmation",
  values: { link: LINK, code: "012345", siteUrl: "http://localhost:3000" },
};

describe("mail without a mail server", () => {
  it("is a file that only its owner can read, with link and code unencoded", async (t) => {
    const dataDir = await createTemporaryFolder(t, "mail-");
    const settings = { dataDir, mailFrom: "Sender <sender@example.com>", smtpUrl: null };
    const mailer = await createMailer({ settings, observer: silentObserver, clock: systemClock });
    await mailer.checkReady();
    await mailer.send(MAIL);
    await mailer.close();
    const names = await readdir(join(dataDir, "mail"));
    assert.equal(names.length, 1);
    assert.match(names[0] ?? "", /^\d{8}T\d{9}Z-confirmation-[0-9a-f]{8}\.eml$/);
    const path = join(dataDir, "mail", names[0] ?? "");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(dataDir, "mail"))).mode & 0o077, 0);
    const content = await readFile(path, "utf8");
    assert.match(content, /^From: Sender <sender@example.com>\nTo: reader@example.com\nSubject: Confirm/);
    assert.ok(content.includes(`\n${LINK}\n`));
    assert.match(content, /code: 012345\n/);
    assert.match(content, /<a href="https:\/\/localhost:8443\/auth\/v1\/verify\?token=pkce_0123abcd&amp;type=signup/);
  });

  it("is named in the log, without its link and code", async (t) => {
    const folder = join(await createTemporaryFolder(t, "mail-"), "mail");
    for (const format of ["json", "pretty"] as const) {
      const destination = new PassThrough();
      const observer = createObserver({ level: "trace", format, destination });
      await createFolderMailer({ folder, from: "a@b.c", observer, clock: systemClock }).send(MAIL);
      destination.end();
      const line = await text(destination);
      assert.match(line, /confirmation-[0-9a-f]{8}\.eml/);
      assert.doesNotMatch(line, /0123abcd|012345/);
    }
  });

  it("keeps the newest files up to a limit and leaves other files alone", async (t) => {
    const folder = await createTemporaryFolder(t, "mail-");
    await writeFile(join(folder, "notes.txt"), "mine");
    let second = 0;
    const clock = { now: () => new Date(Date.UTC(2030, 0, 1, 0, 0, (second += 1))) };
    const mailer = createFolderMailer({ folder, from: "a@b.c", observer: silentObserver, clock, keptFiles: 3 });
    for (let round = 0; round < 6; round += 1) await mailer.send({ ...MAIL, to: `reader-${round}@example.com` });
    const names = (await readdir(folder)).toSorted();
    assert.equal(names.length, 4);
    assert.equal(names.at(-1), "notes.txt");
    const texts = await Promise.all(names.slice(0, 3).map((name) => readFile(join(folder, name), "utf8")));
    assert.deepEqual(
      texts.map((content) => /reader-\d/.exec(content)?.[0]),
      ["reader-3", "reader-4", "reader-5"],
    );
  });

  it("returns an error when the file cannot be written", async (t) => {
    const root = await createTemporaryFolder(t, "mail-");
    await writeFile(join(root, "mail"), "a file where the folder should be");
    await chmod(join(root, "mail"), 0o400);
    const mailer = createFolderMailer({
      folder: join(root, "mail"),
      from: "a@b.c",
      observer: silentObserver,
      clock: systemClock,
    });
    await assert.rejects(
      mailer.send(MAIL),
      (error) => error instanceof AppError && error.code === "SERVICE_UNAVAILABLE",
    );
  });
});
