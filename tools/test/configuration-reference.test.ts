import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SETTINGS } from "../../server/src/config/index.ts";
import { renderConfigurationReference } from "../documents/render-configuration-reference.ts";

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
      /\n## Extension `notes`\n\n.*\n.*\n\| `NOTES_MAX` \| a whole number from 1 to 9 \| `5` \| Notes of one user\. \|\n$/,
    );
    assert.doesNotMatch(extended, /Extension `reference`/);
  });

  it("has the standard variables of an extension", () => {
    const variable = { name: "OTEL_X", accepts: "text", default: null, description: "Something.", secret: true };
    const extended = renderConfigurationReference([{ name: "otel", standardVariables: [variable] }]);
    assert.match(
      extended,
      /## Extension `otel`\n\n.*\n.*\n\| `OTEL_X` \| text \(secret\) \| none \| Something\. \|\n$/,
    );
  });

  it("says how it is made again", () => {
    assert.match(page.split("\n")[0] ?? "", /npm run generate -- reference/);
  });

  it("keeps every row in four cells", () => {
    for (const line of page.split("\n").filter((text) => text.startsWith("|"))) {
      assert.equal(line.split("|").length, 6, line);
    }
  });
});
