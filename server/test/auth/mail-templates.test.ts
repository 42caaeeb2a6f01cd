import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAIL_KINDS, type Mail } from "../../src/auth/mail/mail.ts";
import { renderMail } from "../../src/auth/mail/render-mail.ts";

const HOSTILE = `"><script>alert('x')</script>&`;

describe("the texts of mails", () => {
  for (const kind of MAIL_KINDS) {
    it(`${kind}: name the address, and have link and code in both forms`, () => {
      const hasLink = kind !== "reauthentication" && kind !== "address_taken";
      const hasCode = kind !== "address_taken";
      const mail: Mail = {
        to: "reader@example.com",
        kind,
        values: {
          ...(hasLink && { link: "https://localhost/verify?token=a&type=b" }),
          ...(hasCode && { code: "987654" }),
          newEmail: "new@example.com",
          siteUrl: "https://site.example",
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
      const values = { link: `https://x/${HOSTILE}`, code: HOSTILE, newEmail: HOSTILE, siteUrl: HOSTILE };
      const { html } = renderMail({ to: HOSTILE, kind, values });
      const plain = renderMail({ to: "x", kind, values: { link: "x", code: "x", newEmail: "x", siteUrl: "x" } }).html;
      for (const sign of ["<", ">", '"', "'"]) assert.equal(html.split(sign).length, plain.split(sign).length, sign);
      assert.doesNotMatch(html, /&(?!amp;|lt;|gt;|quot;|#39;)/);
    });
  }

  it("have a subject of their own each", () => {
    const subjects = MAIL_KINDS.map(
      (kind) => renderMail({ to: "a@b.c", kind, values: { siteUrl: "https://x" } }).subject,
    );
    assert.equal(new Set(subjects).size, MAIL_KINDS.length);
  });
});
