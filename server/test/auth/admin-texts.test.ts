import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseBanDuration, parseUserRole } from "../../src/auth/admin/account-body.ts";
import { renderPageLinks } from "../../src/auth/admin/read-accounts.ts";
import { AppError } from "../../src/errors/index.ts";

const NOW = new Date("2026-11-15T00:00:00Z");

function isRejected(error: unknown): boolean {
  return error instanceof AppError && error.status === 400 && error.extra.foreign?.code === "validation_failed";
}

describe("ban_duration", () => {
  const cases: readonly [string, number | null][] = [
    ["none", null],
    ["0", null],
    ["0s", null],
    ["24h", 24 * 3_600_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["300ms", 300],
    ["+2m", 120_000],
    ["876000h", 876_000 * 3_600_000],
  ];
  for (const [text, ms] of cases)
    it(`reads ${text}`, () => {
      const expected = ms === null ? null : new Date(NOW.getTime() + ms);
      assert.deepEqual(parseBanDuration(text, NOW), expected);
    });

  for (const text of [
    "",
    "24",
    "h",
    "-1h",
    "1d",
    "24 h",
    "forever",
    "1h\n",
    `${"9".repeat(60)}h`,
    "1h".repeat(60),
    "1e9h",
  ])
    it(`rejects ${JSON.stringify(text.slice(0, 12))}`, () => {
      assert.throws(() => parseBanDuration(text, NOW), isRejected);
    });

  it("is parsed in linear time", () => {
    const before = process.threadCpuUsage();
    assert.throws(() => parseBanDuration("1".repeat(1_000_000), NOW), isRejected);
    assert.throws(() => parseBanDuration(`${"1.".repeat(49)}x`, NOW), isRejected);
    assert.ok(process.threadCpuUsage(before).user < 1_000_000);
  });
});

describe("the role of a user", () => {
  it("accepts any plain name that is not reserved", () => {
    for (const role of ["authenticated", "editor", "team_2"]) assert.equal(parseUserRole(role), role);
  });

  const rejected = [
    "service_role",
    "anon",
    "postgres",
    "pg_read_all_data",
    "sb_service",
    "sb_user",
    "swarmbase_owner",
    "supabase_admin",
    "authenticator",
    "Service_Role",
    'a"; drop',
    "a b",
    "",
    "a".repeat(64),
  ];
  for (const role of rejected)
    it(`is never ${JSON.stringify(role.slice(0, 20))}`, () => {
      assert.throws(() => parseUserRole(role), isRejected);
    });
});

describe("the Link header of a page", () => {
  it("contains the next and the last page, with the page parameter first", () => {
    assert.equal(
      renderPageLinks({ page: 1, perPage: 50, total: 120, further: {} }),
      '</admin/users?page=2&per_page=50>; rel="next", </admin/users?page=3&per_page=50>; rel="last"',
    );
  });

  it("has no next page after the last one", () => {
    for (const page of [3, 4])
      assert.equal(
        renderPageLinks({ page, perPage: 50, total: 120, further: {} }),
        '</admin/users?page=3&per_page=50>; rel="last"',
      );
    assert.equal(
      renderPageLinks({ page: 1, perPage: 50, total: 0, further: {} }),
      '</admin/users?page=0&per_page=50>; rel="last"',
    );
  });

  it("percent-encodes the filter", () => {
    const links = renderPageLinks({ page: 1, perPage: 1, total: 2, further: { filter: 'a,b;c="d>', sort: undefined } });
    assert.equal(links.split(",").length, 2);
    assert.doesNotMatch(links, /sort/);
    assert.match(links, /filter=a%2Cb%3Bc%3D%22d%3E>/);
  });
});
