import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNT_ACTIONS, MAIL_KINDS, type Mail } from "../../src/auth/mail/mail.ts";
import { renderMail } from "../../src/auth/mail/render-mail.ts";

const HOSTILE = `"><script>alert('x')</script>&`;

describe("mail texts", () => {
  for (const kind of MAIL_KINDS) {
    it(`${kind}: name the address, and have link and code in both forms`, () => {
      const isNotice = kind === "address_taken" || kind === "account_changed" || kind === "test";
      const hasLink = kind !== "reauthentication" && !isNotice;
      const hasCode = kind !== "webhook_disabled" && !isNotice;
      const mail: Mail = {
        to: "reader@example.com",
        kind,
        values: {
          ...(hasLink && { link: "https://localhost/verify?token=a&type=b" }),
          ...(hasCode && { code: "987654" }),
          newEmail: "new@example.com",
          swarmName: "Release crew",
          inviterName: "Ada L",
          siteUrl: "https://site.example",
          changes: [{ action: "api_key_created", at: new Date(0) }],
          switchedOff: [{ name: "Orders", reason: "endpoint_gone", at: new Date(0) }],
        },
      };
      const { subject, text, html } = renderMail(mail);
      assert.match(subject, /^[\x20-\x7e]{5,78}$/);
      assert.ok(text.includes("reader@example.com") && html.includes("reader@example.com"));
      assert.equal(text.includes("https://localhost/verify?token=a&type=b\n"), hasLink);
      assert.equal(html.includes('<a href="https://localhost/verify?token=a&amp;type=b"'), hasLink);
      assert.equal(text.includes("987654"), hasCode);
      assert.equal(html.includes("987654"), hasCode);
      assert.equal(text.includes("new@example.com"), kind === "email_change_current");
      assert.doesNotMatch(text, /undefined|\[object/);
      assert.doesNotMatch(html, /undefined|\[object/);
    });

    it(`${kind}: take no markup from values`, () => {
      const valuesOf = (text: string): Mail["values"] => ({
        link: `https://x/${text}`,
        code: text,
        newEmail: text,
        siteUrl: text,
        swarmName: text,
        inviterName: text,
        switchedOff: [{ name: text, reason: text, at: new Date(0) }],
      });
      const { html } = renderMail({ to: HOSTILE, kind, values: valuesOf(HOSTILE) });
      const plain = renderMail({ to: "x", kind, values: valuesOf("x") }).html;
      for (const sign of ["<", ">", '"', "'"]) assert.equal(html.split(sign).length, plain.split(sign).length, sign);
      assert.doesNotMatch(html, /&(?!amp;|lt;|gt;|quot;|#39;)/);
    });
  }

  it("webhook_disabled: names each webhook on a line of its own, with the time and the reason in words", () => {
    const at = new Date("2026-11-16T06:50:21.345Z");
    const switchedOff = [
      { name: "Orders\r\nBcc: all@example.com\u202e", reason: "endpoint_gone", at },
      { name: "Stock", reason: "endpoint_failing", at },
      { name: "Mail", reason: "queue_full", at },
      { name: "Other", reason: "something_new", at },
    ];
    const values = { siteUrl: "https://x", switchedOff };
    const { subject, text } = renderMail({ to: "a@b.c", kind: "webhook_disabled", values });
    assert.equal(subject, "A webhook was switched off");
    assert.match(text, /4 webhooks of your account a@b\.c\./);
    assert.match(
      text,
      /\n\n"Orders Bcc: all@example\.com" was switched off at 2026-11-16 06:50 UTC: its endpoint answered 410/,
    );
    assert.match(text, /\n\n"Stock" .* has failed for five days\.\n/);
    assert.match(text, /\n\n"Mail" .* more deliveries were waiting/);
    assert.match(text, /\n\n"Other" .* UTC: something_new\.\n/);
    assert.match(text, /is_active/);
    const many = Array.from({ length: 13 }, (_, index) => ({ name: `Hook ${index}`, reason: "queue_full", at }));
    const long = renderMail({ to: "a@b.c", kind: "webhook_disabled", values: { ...values, switchedOff: many } }).text;
    assert.ok(long.includes('"Hook 9"') && !long.includes('"Hook 10"') && long.includes("And 3 more."));
  });

  it("name the swarm and the inviter, on one line and without what a mail program would make a link of", () => {
    const write = (swarmName: string, inviterName: string): string => {
      const values = {
        siteUrl: "https://site.example",
        link: "https://site.example/invitations/1",
        swarmName,
        inviterName,
      };
      return renderMail({ to: "reader@example.com", kind: "swarm_invitation", values }).text;
    };
    assert.match(
      write("Release crew", "Ada L"),
      /^Ada L invites reader@example\.com to the swarm “Release crew” at https:/m,
    );
    assert.match(write("x", "ada@example.com"), /^ada@example\.com invites/m);
    const hostile = write("https://evil.example/a?b\r\nBcc: x\u202e\u2028Now", "www.evil.example ".repeat(40));
    assert.ok(!hostile.includes("evil.example") && !hostile.includes("://evil"), hostile);
    assert.equal(hostile.split("\n").length, write("x", "y").split("\n").length);
    assert.doesNotMatch(hostile, /[\r\u202e\u2028]/);
    assert.ok(Array.from(hostile).length < 700);
  });

  it("account_changed: says what has happened and when", () => {
    const changes = ACCOUNT_ACTIONS.map((action, index) => ({
      action,
      at: new Date(Date.UTC(2026, 10, 16, 6, index)),
    }));
    const values = { siteUrl: "https://x", changes };
    const { text } = renderMail({ to: "a@b.c", kind: "account_changed", values });
    assert.match(text, /\n\n2026-11-16 06:00 UTC: the password was changed\.\n/);
    assert.match(text, /\n\n2026-11-16 06:08 UTC: an API key was created\.\n/);
    assert.equal(text.match(/ UTC: /g)?.length, ACCOUNT_ACTIONS.length);
  });

  it("have distinct subjects", () => {
    const subjects = MAIL_KINDS.map(
      (kind) => renderMail({ to: "a@b.c", kind, values: { siteUrl: "https://x" } }).subject,
    );
    assert.equal(new Set(subjects).size, MAIL_KINDS.length);
  });
});
