import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ExtensionSettingRow, SETTINGS } from "../../server/src/config/index.ts";
import { SHIPPED_EXTENSIONS } from "../documents/generated-pages.ts";
import { findMisnamedSettings, findUnusedExceptions } from "../documents/setting-names.ts";

const ALL: readonly ExtensionSettingRow[] = [
  ...SETTINGS,
  ...SHIPPED_EXTENSIONS.flatMap(({ settings = [] }) => settings as readonly ExtensionSettingRow[]),
];

describe("names of settings", () => {
  it("follow the rules", () => {
    assert.ok(ALL.length > 150);
    assert.deepEqual(findMisnamedSettings(ALL), []);
    assert.deepEqual(findUnusedExceptions(ALL), []);
  });

  const number = { kind: "integer", min: 0, max: 9, default: 1, description: "Something." } as const;
  const cases: readonly (readonly [row: ExtensionSettingRow, isGood: boolean])[] = [
    [{ ...number, name: "A_TIMEOUT_MS" }, true],
    [{ ...number, name: "A_TIMEOUT_SECONDS" }, false],
    [{ ...number, name: "A_TIMEOUT" }, false],
    [{ ...number, name: "A_LEASE_SECONDS" }, true],
    [{ ...number, name: "A_MS" }, false],
    [{ ...number, name: "A_MINUTES" }, false],
    [{ ...number, name: "A_RETENTION_HOURS" }, false],
    [{ ...number, name: "A_DAYS" }, false],
    [{ ...number, name: "A_LIMIT_BYTES" }, true],
    [{ ...number, name: "A_LIMIT_MB" }, false],
    [{ ...number, name: "A_MAX_BYTES_EACH_TIME" }, false],
    [{ ...number, name: "A_BYTES" }, false],
    [{ ...number, name: "A_PER_USER" }, true],
    [{ ...number, name: "A_PER_MINUTE" }, false],
    [{ ...number, name: "A_CAP" }, false],
    [{ ...number, name: "A_MAX_ROWS", description: "How long it takes." }, false],
    [{ ...number, name: "A_TTL_SECONDS", description: "Lifetime of it, in milliseconds." }, false],
    [{ kind: "boolean", default: true, description: "Whether.", name: "A_ENABLED" }, true],
    [{ kind: "boolean", default: true, description: "Whether.", name: "A" }, false],
    [{ kind: "path", default: null, description: "A folder.", name: "A_FOLDER" }, false],
    [{ kind: "http-url", default: null, description: "Address.", name: "A_ADDRESS" }, false],
  ];
  for (const [row, isGood] of cases) {
    it(`${row.name} (${row.description}) ${isGood ? "is" : "is not"} accepted`, () => {
      assert.equal(findMisnamedSettings([row]).length === 0, isGood);
    });
  }

  it("an exception that nobody has is reported", () => {
    assert.ok(findUnusedExceptions([]).includes("WORKERS"));
  });
});
