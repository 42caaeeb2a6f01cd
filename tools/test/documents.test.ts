import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { findDocumentFaults } from "../documents/find-document-faults.ts";

const MAP_HEAD = "| rule | code | test |\n|---|---|---|\n";
const PLANNED_SECTIONS = [2, 3, 4, 5, 6, 7, 8, 9].map(
  (n) => `## ${n}. Title\n\n${MAP_HEAD}| later | planned | planned |\n`,
);
const mapWith = (row: string) => `# Map\n\n## 1. Title\n\n${MAP_HEAD}${row}\n${PLANNED_SECTIONS.join("")}`;

const modelWith = (row: string) =>
  `# Threats\n\n| | threat | code | test |\n|---|---|---|---|\n| T1 | a | \`server/src/a.ts\` | ${row} |\n`;

/** Documents in good order; each test spoils one thing in them. */
const GOOD: Record<string, string> = {
  "README.md": "# Swarm\n\nRun `npm start`, `npm test`, `npm run check`. See [docs](docs/README.md#how-to--why).\n",
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- all\n\n## 0.1.0\n",
  "CONTRIBUTING.md": "[top](#work)\n\n# Work\n\n```\n[not a link](nowhere.md)\n```\n",
  "SECURITY.md": '[home](./README.md "title") and [web](https://a.example/x.md)\n',
  "docs/README.md":
    "# Docs\n\n## How to & why\n\n[up](../README.md) [code](../server/src/a.ts) `[x](y.md)`\n\n[ref]: reference/errors.md\n",
  "docs/reference/errors.md": "generated\n",
  "docs/threat-model.md": modelWith("`server/test/a.test.ts::keeps out`"),
  "docs/interface-map.md": mapWith(
    "| HTTPS only | `server/src/a.ts` | `server/test/a.test.ts`, `server/test/b.test.ts` |",
  ),
};

function faultsWith(changes: Record<string, string | null>): readonly string[] {
  const pages = new Map(
    Object.entries({ ...GOOD, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const files = new Set(["server/src/a.ts", "server/test/a.test.ts", "server/test/b.test.ts", ...pages.keys()]);
  return findDocumentFaults({
    pages,
    scripts: new Set(["start", "test", "check"]),
    generated: { "docs/reference/errors.md": () => "generated\n" },
    exists: (path) => files.has(path),
    readSource: (path) => (files.has(path) ? 'it("keeps out", () => {}); // lets in' : null),
  });
}

describe("the check of the documents", () => {
  it("finds nothing in documents in good order", () => assert.deepEqual(faultsWith({}), []));

  const spoiled: { what: string; changes: Record<string, string | null>; expected: string }[] = [
    {
      what: "a generated page that was edited",
      changes: { "docs/reference/errors.md": "generated, then edited\n" },
      expected: "docs/reference/errors.md: differs from its source; run npm run docs:reference",
    },
    { what: "a missing front page", changes: { "SECURITY.md": null }, expected: "SECURITY.md: is missing" },
    {
      what: "a changelog that begins with a release",
      changes: { "CHANGELOG.md": "# Changelog\n\n## 0.1.0\n\n## Unreleased\n" },
      expected: 'CHANGELOG.md: the first heading of level two must be "## Unreleased"',
    },
    {
      what: "a changelog with the head at the wrong level",
      changes: { "CHANGELOG.md": "# Changelog\n\n### Unreleased\n" },
      expected: 'CHANGELOG.md: the first heading of level two must be "## Unreleased"',
    },
    {
      what: "a link to a file that is gone",
      changes: { "SECURITY.md": "[a](docs/gone.md)" },
      expected: "SECURITY.md: the link docs/gone.md leads nowhere",
    },
    {
      what: "a link definition to a file that is gone",
      changes: { "SECURITY.md": "[a]: gone.md" },
      expected: "SECURITY.md: the link gone.md leads nowhere",
    },
    {
      what: "a link that leaves the repository",
      changes: { "SECURITY.md": "[a](../other/README.md)" },
      expected: "SECURITY.md: the link ../other/README.md leads nowhere",
    },
    {
      what: "a link to a heading that is gone",
      changes: { "SECURITY.md": "[a](docs/README.md#gone)" },
      expected: "SECURITY.md: docs/README.md#gone names a heading that does not exist",
    },
    {
      what: "a command that does not exist",
      changes: { "README.md": "`npm run chekc`" },
      expected: 'README.md: package.json has no script "chekc"',
    },
    {
      what: "a map without the interface's sections",
      changes: { "docs/interface-map.md": mapWith("") },
      expected: "docs/interface-map.md: section 1 has no rows",
    },
    { what: "no map", changes: { "docs/interface-map.md": null }, expected: "docs/interface-map.md: is missing" },
    {
      what: "a rule whose code is gone",
      changes: { "docs/interface-map.md": mapWith("| r | `server/src/gone.ts` | `server/test/a.test.ts` |") },
      expected: 'docs/interface-map.md: "r": server/src/gone.ts does not exist',
    },
    {
      what: "a rule without a test",
      changes: { "docs/interface-map.md": mapWith("| r | `server/src/a.ts` | planned |") },
      expected: 'docs/interface-map.md: "r": names no code or no test, and is not planned',
    },
    {
      what: "a rule whose test is not one",
      changes: { "docs/interface-map.md": mapWith("| r | `server/src/a.ts` | `server/src/a.ts` |") },
      expected: 'docs/interface-map.md: "r": server/src/a.ts is not a test',
    },
    {
      what: "a row of the wrong shape",
      changes: { "docs/interface-map.md": mapWith("| r | planned | planned | soon |") },
      expected: 'docs/interface-map.md: "r": a row has three cells, this one 4',
    },
    {
      what: "a threat whose test has another title",
      changes: { "docs/threat-model.md": modelWith("`server/test/a.test.ts::lets in`") },
      expected: 'docs/threat-model.md: server/test/a.test.ts has no test "lets in"',
    },
    {
      what: "a threat whose test is gone",
      changes: { "docs/threat-model.md": modelWith("`server/test/c.test.ts::keeps out`") },
      expected: "docs/threat-model.md: server/test/c.test.ts does not exist",
    },
    {
      what: "a threat that is passed over",
      changes: { "docs/threat-model.md": modelWith("soon") },
      expected: 'docs/threat-model.md: T1 names no test and does not say "not covered:" with why',
    },
    {
      what: "a threat with code that is gone",
      changes: { "docs/threat-model.md": modelWith("not covered: `server/src/gone.ts` is for later") },
      expected: "docs/threat-model.md: server/src/gone.ts does not exist",
    },
  ];
  for (const { what, changes, expected } of spoiled) {
    it(`sees ${what}`, () => assert.deepEqual(faultsWith(changes), [expected]));
  }

  it("ends with an error when a generated page of the repository is changed, until it is written again", async () => {
    const repository = join(import.meta.dirname, "../..");
    const root = await mkdtemp(join(tmpdir(), "swarmbase-tools-"));
    const run = (script: string) =>
      promisify(execFile)(process.execPath, ["--conditions=swarmbase-source", join(repository, "tools", script), root]);
    try {
      for (const path of ["docs", "package.json"])
        await cp(join(repository, path), join(root, path), { recursive: true });
      await writeFile(join(root, "docs/reference/configuration.md"), "edited");
      await assert.rejects(run("check-docs.ts"), /configuration\.md: differs/);
      await run("write-reference.ts");
      await assert.rejects(run("check-docs.ts"), (error: Error) => !error.message.includes("differs"));
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
