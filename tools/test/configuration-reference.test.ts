import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SETTINGS } from "../../server/src/config/index.ts";
import { SHIPPED_EXTENSIONS } from "../documents/generated-pages.ts";
import { ESSENTIAL_SETTINGS, renderConfigurationReference } from "../documents/render-configuration-reference.ts";

describe("renderConfigurationReference", () => {
  const page = renderConfigurationReference();

  it("has one row per setting, with its default and whether it is secret", () => {
    for (const row of SETTINGS) {
      const lines = page.split("\n").filter((line) => line.startsWith(`| \`${row.name}\` |`));
      assert.equal(lines.length, 1, row.name);
      assert.equal(lines[0]?.includes("(secret)"), row.secret === true, row.name);
      assert.ok(lines[0]?.includes(row.description), row.name);
    }
    assert.match(page, /`PORT` \| a whole number from 0 to 65535 \| `8443` \|/);
    assert.match(page, /`DATABASE_ADMIN_URL` .* \| the value of `DATABASE_URL` \|/);
    assert.match(page, /`TRUSTED_PROXIES` .* \| none \|/);
  });

  it("has a section for each extension that has settings", () => {
    const row = { name: "NOTES_MAX", kind: "integer", min: 1, max: 9, default: 5, secret: false } as const;
    const settings = [{ ...row, description: "Notes of one user." }];
    const extended = renderConfigurationReference([{ name: "reference" }, { name: "notes", settings }]);
    assert.match(
      extended,
      /\n### Extension `notes`\n\n.*\n.*\n\| `NOTES_MAX` \| a whole number from 1 to 9 \| `5` \| Notes of one user\. \|\n\n## Names\n/,
    );
    assert.doesNotMatch(extended, /Extension `reference`/);
  });

  it("has the standard variables of an extension", () => {
    const variable = { name: "OTEL_X", accepts: "text", default: null, description: "Something.", secret: true };
    const extended = renderConfigurationReference([{ name: "otel", standardVariables: [variable] }]);
    assert.match(
      extended,
      /### Extension `otel`\n\n.*\n.*\n\| `OTEL_X` \| text \(secret\) \| none \| Something\. \|\n\n## Names\n/,
    );
  });

  it("begins with the settings that matter, each of which is nowhere else", () => {
    const whole = renderConfigurationReference(SHIPPED_EXTENSIONS);
    const [first = "", advanced = ""] = whole.split("\n## Advanced settings\n");
    const names = [...first.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name);
    assert.equal(names.length, 15);
    assert.deepEqual(names, ESSENTIAL_SETTINGS);
    for (const name of names) assert.ok(!advanced.includes(`\n| \`${name}\` |`), name);
    for (const heading of ["### Realtime", "### Extension `backup`"]) assert.ok(advanced.includes(`\n${heading}\n`));
    assert.doesNotMatch(advanced, /^### Keys\n\n(?!\|)/m);
  });

  it("says what names mean", () => {
    assert.match(page, /\| `…_TTL_SECONDS`, `…_TTL_DAYS` \| lifetime \|/);
  });

  it("says how it is made again", () => {
    assert.match(page.split("\n")[0] ?? "", /npm run generate -- reference/);
  });

  it("keeps every row in four cells", () => {
    const tables = page.slice(0, page.indexOf("\n## Names\n"));
    for (const line of tables.split("\n").filter((text) => text.startsWith("|"))) {
      assert.equal(line.split("|").length, 6, line);
    }
  });
});
