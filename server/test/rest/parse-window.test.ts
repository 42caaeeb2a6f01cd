import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse, rejectionOf } from "./support/parsing.ts";

type Given = readonly [search: string, range: string | undefined];

function windowOf([search, range]: Given, method = "GET"): readonly (number | null)[] {
  const { query } = parse({ method, search, headers: { range } });
  return [query.root.offset, query.root.limit];
}

const TAKEN: readonly (readonly [Given, readonly [number | null, number | null]])[] = [
  [
    ["", undefined],
    [null, null],
  ],
  [
    ["limit=5", undefined],
    [null, 5],
  ],
  [
    ["limit=0", undefined],
    [null, 0],
  ],
  [
    ["limit=0&offset=3", undefined],
    [3, 0],
  ],
  [
    ["offset=3", undefined],
    [3, null],
  ],
  [
    ["offset=3&limit=5", undefined],
    [3, 5],
  ],
  [
    ["limit=+5+", undefined],
    [null, 5],
  ],
  [
    ["limit=a&offset=1.5", undefined],
    [null, null],
  ],
  [
    ["limit=&offset=1e3", undefined],
    [null, null],
  ],
  [
    ["limit=1&limit=2", undefined],
    [null, 2],
  ],
  [
    ["offset=-3", undefined],
    [0, null],
  ],
  [
    ["limit=99999999999999999999", undefined],
    [null, Number.MAX_SAFE_INTEGER],
  ],
  [
    ["", "0-9"],
    [0, 10],
  ],
  [
    ["", "5-5"],
    [5, 1],
  ],
  [
    ["", "5-"],
    [5, null],
  ],
  [
    ["", "bytes=0-9"],
    [null, null],
  ],
  [
    ["", "-9"],
    [null, null],
  ],
  [
    ["", "0-9,20-29"],
    [null, null],
  ],
  [
    ["limit=5", "0-9"],
    [0, 5],
  ],
  [
    ["limit=50", "0-9"],
    [0, 10],
  ],
  [
    ["limit=5&offset=8", "0-9"],
    [8, 2],
  ],
  [
    ["offset=2", "5-"],
    [5, null],
  ],
  [
    ["limit=10", "5-"],
    [5, 5],
  ],
  [
    ["limit=0", "5-9"],
    [5, 0],
  ],
];

const REJECTED: readonly (readonly [Given, string])[] = [
  [["limit=-1", undefined], "Limit should be greater than or equal to zero."],
  [["r.limit=-1", undefined], "Limit should be greater than or equal to zero."],
  [["", "9-0"], "The lower boundary must be lower than or equal to the upper boundary in the Range header."],
  [["limit=5", "5-9"], "The Range header has no row in common with limit and offset."],
  [["offset=10", "0-9"], "The Range header has no row in common with limit and offset."],
];

describe("limit, offset and Range", () => {
  for (const [given, expected] of TAKEN) {
    it(`show ${JSON.stringify(expected)} for ${JSON.stringify(given)}`, () => {
      assert.deepEqual(windowOf(given), expected);
    });
  }

  for (const [given, details] of REJECTED) {
    it(`are rejected as ${JSON.stringify(given)}`, () => {
      assert.deepEqual(
        rejectionOf(() => windowOf(given)),
        { code: "PGRST103", status: 416, message: "Requested range not satisfiable", details },
      );
    });
  }

  it("belong to an embed under its path", () => {
    const { root, embeds } = parse({ search: "r.limit=2&r.offset=1&r.s.limit=3" }).query;
    assert.deepEqual([root.limit, root.offset], [null, null]);
    assert.deepEqual(
      embeds.map(({ path, modifiers }) => [path.join("."), modifiers.limit, modifiers.offset]),
      [
        ["r", 2, 1],
        ["r.s", 3, null],
      ],
    );
  });

  it("apply a Range header only on GET", () => {
    assert.deepEqual(parse({ headers: { range: "2-3" }, search: "offset=1" }).range, { offset: 2, limit: 2 });
    assert.equal(parse({ search: "offset=1" }).range, null);
    assert.equal(parse({ method: "HEAD", headers: { range: "9-0" } }).range, null);
    assert.deepEqual(windowOf(["", "2-3"], "HEAD"), [null, null]);
    assert.equal(parse({ method: "DELETE", headers: { range: "9-0" } }).range, null);
  });

  it("are rejected on PUT", () => {
    for (const search of ["limit=1", "offset=1"]) {
      const { code, status } = rejectionOf(() => parse({ method: "PUT", search, body: Buffer.from("{}") }));
      assert.deepEqual([code, status], ["PGRST114", 400]);
    }
    parse({ method: "PUT", search: "r.limit=1", headers: { range: "0-1" }, body: Buffer.from("{}") });
  });
});
