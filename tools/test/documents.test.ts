import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { checkCallPath } from "../documents/check-call-path.ts";
import { findDocumentFaults } from "../documents/find-document-faults.ts";
import { RECIPES } from "../documents/check-recipes.ts";
import { INTERFACE_SECTIONS } from "../documents/interface-rules.ts";
import type { DocumentTree } from "../documents/rule.ts";

const A_TEST = "`server/test/a.test.ts::keeps out`";

/** A map with a valid row for every rule and question. */
const GOOD_ROWS = Object.entries(INTERFACE_SECTIONS).flatMap(([section, { rules, open }]) => [
  ...Array.from({ length: rules }, (_, at) => `| ${section}-${at + 1} | r | \`server/src/a.ts#keepOut\` | ${A_TEST} |`),
  ...Array.from({ length: open }, (_, at) => `| ${section}-open-${at + 1} | r | as we like | ${A_TEST} |`),
]);
const mapWith = (row: string) =>
  GOOD_ROWS.map((good) => (good.startsWith(row.split(" | ")[0] ?? "") ? row : good)).join("\n");

const GOOD_ACCEPTANCE = Object.keys(INTERFACE_SECTIONS)
  .map((section) => `test("${section} holds", () => {});`)
  .join("\n");

const modelWith = (row: string) =>
  `# Threats\n\n| | threat | code | test |\n|---|---|---|---|\n| T1 | a | \`server/src/a.ts\` | ${row} |\n`;

const parityWith = (answer: string, why: string) =>
  `# PostgREST\n\n| behaviour | here | test, or why |\n|---|---|---|\n| GET reads | ${answer} | ${why} |\n`;

const callPathOf = (...files: readonly string[]) =>
  `# Parts\n\n### The files of a call\n\n${files.map((file, at) => `| ${at + 1} | \`${file}\` | a | |\n`).join("")}`;

/** The row of the table from question to file. */
const questionOf = (row: string) =>
  `## Where to look\n\n| question | file | declares | in short |\n|---|---|---|---|\n${row}\n\n`;
const GOOD_QUESTION = "| Who comes in? | [`server/src/a.ts`](../server/src/a.ts) | `keepOut` | Nobody |";

const DECISIONS = "docs/decisions/0000-how-decisions-are-recorded.md";
const decisionWith = (state: string) => ({ "docs/decisions/0001-a.md": `# 0001: A\n\n${state}\n\n## Context\n` });

const GOOD_RECIPES = Object.keys(RECIPES)
  .map((title) => `## ${title}\n\n| file | what to add |\n|---|---|\n| \`server/src/a.ts#keepOut\` | a row |\n`)
  .join("\n");

/** Valid documents; each test breaks one thing in them. */
const GOOD: Record<string, string> = {
  "README.md": "# Swarm\n\nRun `npm start`, `npm test`, `npm run check`. See [docs](docs/README.md#how-to--why).\n",
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- all\n\n## 0.1.0\n",
  "CONTRIBUTING.md": `[top](#work)\n\n# Work\n\n\`\`\`\n[not a link](nowhere.md)\n\`\`\`\n\n${GOOD_RECIPES}`,
  "AGENTS.md": "",
  "SECURITY.md": '[home](./README.md "title") and [web](https://a.example/x.md)\n',
  "docs/README.md":
    "# Docs\n\n## How to & why\n\n[up](../README.md) [code](../server/src/a.ts) `[x](y.md)`\n\n[ref]: reference/errors.md\n\n" +
    "[a](threat-model.md) [b](reference/postgrest-parity.md) [c](interface-map.md) [d](architecture.md) " +
    "[e](decisions/0000-how-decisions-are-recorded.md)\n",
  "docs/reference/errors.md": "generated\n",
  "docs/threat-model.md": modelWith("`server/test/a.test.ts::keeps out`"),
  "docs/reference/postgrest-parity.md": parityWith("yes", A_TEST),
  "docs/interface-map.md": GOOD_ROWS.join("\n"),
  "docs/architecture.md": callPathOf("server/src/a.ts") + questionOf(GOOD_QUESTION),
  [DECISIONS]: "# 0000: How\n\nAccepted, 2026-11-15.\n\n[a](0001-a.md) [b](0002-b.md)\n",
  ...decisionWith(
    "Accepted, 2026-11-15.\nSuperseded in part, 2026-11-16, by [0002](0002-b.md): a half.\nMeasured again, 2026-11-17: all.",
  ),
  "docs/decisions/0002-b.md": "# 0002: B\n\nAccepted, 2026-11-16.\nChanged, 2026-11-17: a third.\n\n## Context\n",
};

function faultsWith(changes: Record<string, string | null>, acceptance = GOOD_ACCEPTANCE): readonly string[] {
  const pages = new Map(
    Object.entries({ ...GOOD, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const files = new Set(["server/src/a.ts", "server/test/a.test.ts", "server/test/b.test.ts", ...pages.keys()]);
  return findDocumentFaults({
    pages,
    acceptance: new Map([["acceptance/a.test.ts", acceptance]]),
    scripts: new Set(["start", "test", "check", "swarmbase"]),
    mentions: { "docs/README.md": ["## How to"] },
    generated: { "docs/reference/errors.md": () => "generated\n" },
    exists: (path) => files.has(path),
    paths: [...files],
    sources: new Map([["server/src/b.ts", "KNOWN_NAME"]]),
    isGenerated: (path) => path.startsWith("docs/reference/"),
    readSource: (path) => {
      if (!files.has(path)) return null;
      return path.endsWith(".test.ts") ? 'it("keeps out", () => {}); // lets in' : "export function keepOut(): void {}";
    },
  });
}

describe("the check of the documents", () => {
  it("finds no errors in valid documents", () => assert.deepEqual(faultsWith({}), []));

  const spoiled: { what: string; changes: Record<string, string | null>; expected: string }[] = [
    {
      what: "a generated page that was edited",
      changes: { "docs/reference/errors.md": "generated, then edited\n" },
      expected: "docs/reference/errors.md: differs from its source; run npm run generate -- reference",
    },
    {
      what: "a page that lacks what it is meant to list",
      changes: {
        "docs/README.md": GOOD["docs/README.md"]?.replace("How to", "Why") ?? "",
        "README.md": "[a](docs/README.md)",
      },
      expected: 'docs/README.md: does not have "## How to"',
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
      expected: "SECURITY.md: the link docs/gone.md is broken",
    },
    {
      what: "a link definition to a file that is gone",
      changes: { "SECURITY.md": "[a]: gone.md" },
      expected: "SECURITY.md: the link gone.md is broken",
    },
    {
      what: "a link that leaves the repository",
      changes: { "SECURITY.md": "[a](../other/README.md)" },
      expected: "SECURITY.md: the link ../other/README.md is broken",
    },
    {
      what: "a link to a heading that is gone",
      changes: { "SECURITY.md": "[a](docs/README.md#gone)" },
      expected: "SECURITY.md: docs/README.md#gone refers to a heading that does not exist",
    },
    {
      what: "a README of more than three screens",
      changes: { "README.md": `[docs](docs/README.md) ${"word ".repeat(801)}` },
      expected: "README.md: has more than 800 words",
    },
    {
      what: "a README with several pictures",
      changes: { "README.md": "[docs](docs/README.md) ![a](a.svg) ![b](b.svg)", "a.svg": "", "b.svg": "" },
      expected: "README.md: has more than one picture",
    },
    {
      what: "a command that does not exist",
      changes: { "README.md": "[docs](docs/README.md) `npm run chekc`" },
      expected: 'README.md: package.json has no script "chekc"',
    },
    {
      what: "a setting that does not exist",
      changes: { "AGENTS.md": "`OLD_NAME=1`, `KNOWN_NAME`\n\n```sh\nYOUR_NAME=1\n```\n" },
      expected: 'AGENTS.md: no source has "OLD_NAME"',
    },
    {
      what: "a command of the service that does not exist",
      changes: { "AGENTS.md": "`npx swarmbase aply`" },
      expected: 'AGENTS.md: swarmbase has no command "aply"',
    },
    {
      what: "a command of the service in a clone that does not exist",
      changes: { "AGENTS.md": "`npm run swarmbase aply`" },
      expected: 'AGENTS.md: swarmbase has no command "aply"',
    },
    {
      what: "an option that the command does not have",
      changes: {
        "AGENTS.md": '`npx swarmbase apply --yes "--no-option" --yess`',
        "SECURITY.md": "[commands](docs/reference/cli.md)",
        "README.md": `${GOOD["README.md"]} [security](SECURITY.md)`,
        "docs/reference/cli.md": "# Command line\n\n## apply\n\n`swarmbase apply [--yes]`\n",
      },
      expected: 'AGENTS.md: swarmbase apply has no option "--yess"',
    },
    {
      what: "a page without the files of a call",
      changes: { "docs/architecture.md": `# Parts\n\n${questionOf(GOOD_QUESTION)}` },
      expected: 'docs/architecture.md: "### The files of a call" lists no files',
    },
    {
      what: "a page without the table from question to file",
      changes: { "docs/architecture.md": callPathOf("server/src/a.ts") },
      expected: 'docs/architecture.md: "## Where to look" lists no questions',
    },
    ...[
      { row: GOOD_QUESTION.replace("keepOut", "letIn"), fault: "server/src/a.ts declares no letIn" },
      {
        row: GOOD_QUESTION.replace("(../server/src/a.ts)", "(../README.md)"),
        fault: "the link of server/src/a.ts leads to ../README.md",
      },
      {
        row: "| Who comes in? | `server/src/a.ts` | Nobody |",
        fault:
          'a row is not "| question | [`file`](link) | `name` | in short |": | Who comes in? | `server/src/a.ts` | Nobody |',
      },
    ].map(({ row, fault }) => ({
      what: `a question with a wrong answer: ${row}`,
      changes: { "docs/architecture.md": callPathOf("server/src/a.ts") + questionOf(row) },
      expected: `docs/architecture.md: ${fault}`,
    })),
    {
      what: "a page that no other page links to",
      changes: { "docs/alone.md": "# Alone\n" },
      expected: "docs/alone.md: is more than 3 links away from README.md",
    },
    {
      what: "a page that is too far away",
      changes: {
        "docs/decisions/0002-b.md": `${GOOD["docs/decisions/0002-b.md"]}[far](../far.md)`,
        "docs/far.md": "# Far\n",
      },
      expected: "docs/far.md: is more than 3 links away from README.md",
    },
    {
      what: "a file that is gone",
      changes: {
        "AGENTS.md": "`server/src/a.ts`, `server/src/gone.ts#keepOut`, `server/src/<name>.ts`, `src/gone.ts`",
      },
      expected: "AGENTS.md: server/src/gone.ts does not exist",
    },
    {
      what: "a source file that is gone, by the end of its path",
      changes: {
        "docs/decisions/0002-b.md": `${GOOD["docs/decisions/0002-b.md"]}\`src/a.ts\`, \`src/gone.ts\`, \`.ts\``,
      },
      expected: "docs/decisions/0002-b.md: src/gone.ts does not exist",
    },
    {
      what: "a file of a package that is gone",
      changes: { "server/README.md": "`src/a.ts`, `src/gone.ts`, `seed.sql`" },
      expected: "server/README.md: src/gone.ts does not exist",
    },
    ...Object.entries({
      "2026-11-15 · accepted":
        'does not begin with its state, "Accepted, <date>." or "Superseded, <date>, by [<page>](<link>)"',
      "Accepted, 2026-11-15.\nReplaced, 2026-11-16: all.": "the state has an unknown line: Replaced, 2026-11-16: all.",
      "Superseded, 2026-11-16, by [0000](0000-how-decisions-are-recorded.md): all.":
        "does not link to the later decision: Superseded, 2026-11-16, by [0000](0000-how-decisions-are-recorded.md): all.",
      "Accepted, 2026-11-15.\nSuperseded in part, 2026-11-16, by a later one.":
        "does not link to the later decision: Superseded in part, 2026-11-16, by a later one.",
    }).map(([state, fault]) => ({
      what: `a decision with the state ${state}`,
      changes: decisionWith(state),
      expected: `docs/decisions/0001-a.md: ${fault}`,
    })),
    {
      what: "a term that the glossary has twice",
      changes: {
        "docs/README.md": `${GOOD["docs/README.md"]} [terms](glossary.md)`,
        "docs/glossary.md":
          "| term | meaning |\n|---|---|\n| run | a |\n\n| term | meaning |\n|---|---|\n| run | b |\n| run, of a node | c |\n",
      },
      expected: 'docs/glossary.md: has "run" twice',
    },
    {
      what: "a decision with the number of another one",
      changes: { "docs/decisions/0002-b.md": "# 0001: B\n\nAccepted, 2026-11-16.\n\n## Context\n" },
      expected: "docs/decisions/0002-b.md: the title does not begin with the number 0002",
    },
    {
      what: "a decision that is not listed",
      changes: { [DECISIONS]: "# 0000: How\n\nAccepted, 2026-11-15.\n\n[a](0001-a.md) [b](./0002-b.md)\n" },
      expected: `docs/decisions/0002-b.md: is missing in ${DECISIONS}`,
    },
    {
      what: "no map",
      changes: {
        "docs/interface-map.md": null,
        "docs/README.md": GOOD["docs/README.md"]?.replace("[c](interface-map.md)", "") ?? "",
      },
      expected: "docs/interface-map.md: is missing",
    },
    {
      what: "a rule that is left out",
      changes: { "docs/interface-map.md": GOOD_ROWS.filter((row) => !row.startsWith("| 2.4-3 ")).join("\n") },
      expected: "docs/interface-map.md: 2.4-3 has no row",
    },
    {
      what: "an open question that is left out",
      changes: { "docs/interface-map.md": GOOD_ROWS.filter((row) => !row.startsWith("| 9-open-1 ")).join("\n") },
      expected: "docs/interface-map.md: 9-open-1 has no row",
    },
    {
      what: "a rule that nobody knows",
      changes: {
        "docs/interface-map.md": [...GOOD_ROWS, `| 9-7 | r | \`server/src/a.ts#keepOut\` | ${A_TEST} |`].join("\n"),
      },
      expected: "docs/interface-map.md: 9-7 is not a known rule",
    },
    {
      what: "a rule that has more than one row",
      changes: { "docs/interface-map.md": [...GOOD_ROWS, GOOD_ROWS[0]].join("\n") },
      expected: "docs/interface-map.md: 1-1 has more than one row",
    },
    {
      what: "a rule whose code is gone",
      changes: { "docs/interface-map.md": mapWith(`| 3.1-1 | r | \`server/src/gone.ts#keepOut\` | ${A_TEST} |`) },
      expected: "docs/interface-map.md: 3.1-1: server/src/gone.ts does not exist",
    },
    {
      what: "a rule whose symbol is gone",
      changes: { "docs/interface-map.md": mapWith(`| 3.1-1 | r | \`server/src/a.ts#letIn\` | ${A_TEST} |`) },
      expected: "docs/interface-map.md: 3.1-1: server/src/a.ts declares no letIn",
    },
    {
      what: "a rule that names a file but no symbol",
      changes: { "docs/interface-map.md": mapWith(`| 3.1-1 | r | \`server/src/a.ts\` | ${A_TEST} |`) },
      expected: "docs/interface-map.md: 3.1-1: server/src/a.ts names no symbol",
    },
    {
      what: "a rule with a symbol of a file that has none",
      changes: { "docs/interface-map.md": mapWith(`| 3.1-1 | r | \`README.md#keepOut\` | ${A_TEST} |`) },
      expected: "docs/interface-map.md: 3.1-1: README.md has no symbols that can be checked",
    },
    {
      what: "a rule that is only planned",
      changes: { "docs/interface-map.md": mapWith(`| 3.1-1 | r | planned | ${A_TEST} |`) },
      expected: "docs/interface-map.md: 3.1-1: names no code",
    },
    {
      what: "a rule without a test",
      changes: {
        "docs/interface-map.md": mapWith("| 3.1-1 | r | `server/src/a.ts#keepOut` | `server/test/a.test.ts` |"),
      },
      expected: "docs/interface-map.md: 3.1-1: names no test by its title",
    },
    {
      what: "a rule whose test has another title",
      changes: {
        "docs/interface-map.md": mapWith(
          "| 3.1-1 | r | `server/src/a.ts#keepOut` | `server/test/a.test.ts::lets in` |",
        ),
      },
      expected: 'docs/interface-map.md: 3.1-1: server/test/a.test.ts has no test "lets in"',
    },
    {
      what: "a rule whose test is not one",
      changes: {
        "docs/interface-map.md": mapWith("| 3.1-1 | r | `server/src/a.ts#keepOut` | `server/src/a.ts::keeps out` |"),
      },
      expected: "docs/interface-map.md: 3.1-1: server/src/a.ts is not a test",
    },
    {
      what: "a row of the wrong shape",
      changes: { "docs/interface-map.md": mapWith(`| 3.1-1 | r | \`server/src/a.ts#keepOut\` | ${A_TEST} | soon |`) },
      expected: "docs/interface-map.md: 3.1-1: a row has four cells, this one 5",
    },
    {
      what: "a behaviour of PostgREST whose test has another title",
      changes: { "docs/reference/postgrest-parity.md": parityWith("yes", "`server/test/a.test.ts::lets in`") },
      expected: 'docs/reference/postgrest-parity.md: GET reads: server/test/a.test.ts has no test "lets in"',
    },
    {
      what: "a behaviour of PostgREST whose test is gone",
      changes: { "docs/reference/postgrest-parity.md": parityWith("differs", "`server/test/c.test.ts::keeps out`") },
      expected: "docs/reference/postgrest-parity.md: GET reads: server/test/c.test.ts does not exist",
    },
    {
      what: "a behaviour of PostgREST without a test",
      changes: { "docs/reference/postgrest-parity.md": parityWith("yes", "of course") },
      expected: "docs/reference/postgrest-parity.md: GET reads: names no test",
    },
    {
      what: "a behaviour of PostgREST without an answer",
      changes: { "docs/reference/postgrest-parity.md": parityWith("perhaps", A_TEST) },
      expected: "docs/reference/postgrest-parity.md: GET reads: says neither yes nor differs nor no",
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
    it(`reports ${what}`, () => assert.deepEqual(faultsWith(changes), [expected]));
  }

  it("reports a question whose file is gone, also as a broken link", () => {
    const row = GOOD_QUESTION.replaceAll("a.ts", "gone.ts");
    assert.deepEqual(faultsWith({ "docs/architecture.md": callPathOf("server/src/a.ts") + questionOf(row) }), [
      "docs/architecture.md: server/src/gone.ts does not exist",
      "docs/architecture.md: server/src/gone.ts does not exist",
      "docs/architecture.md: the link ../server/src/gone.ts is broken",
    ]);
  });

  it("reports every wrong reference of the map at once", () => {
    const wrong = GOOD_ROWS.map((row) => row.replace("a.ts#keepOut", "a.ts#letIn"));
    const rules = Object.values(INTERFACE_SECTIONS).reduce((sum, { rules: count }) => sum + count, 0);
    const faults = faultsWith({ "docs/interface-map.md": wrong.join("\n") });
    assert.equal(faults.filter((fault) => fault.endsWith("server/src/a.ts declares no letIn")).length, rules);
  });

  it("reports acceptance tests without a section, and sections without an acceptance test", () => {
    const acceptance = `${GOOD_ACCEPTANCE.replace("5.9 holds", "5.11 holds")}\ntest("holds", () => {});`;
    assert.deepEqual(faultsWith({}, `${acceptance}\ntest("beyond: holds too", () => {});`), [
      'acceptance/a.test.ts: "5.11 holds" begins neither with a section of the interface nor with "beyond"',
      'acceptance/a.test.ts: "holds" begins neither with a section of the interface nor with "beyond"',
      "docs/interface-map.md: no acceptance test begins with 5.9",
    ]);
  });

  it("fails when a generated page of the repository is changed, until it is generated again", async () => {
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
      const [written, wanted] = await Promise.all(
        [root, repository].map((place) => readFile(join(place, "docs/reference/configuration.md"), "utf8")),
      );
      assert.equal(written, wanted);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe("the files of a call", () => {
  const SOURCES: Readonly<Record<string, string>> = {
    "server/src/functions/start.ts": 'import type { Run } from "../agents/index.ts";',
    "server/src/agents/index.ts": 'export type { Run } from "./respond/run.ts";',
    "server/src/agents/respond/run.ts": 'import { turn } from "../turn/turn.ts";',
    "server/src/agents/turn/turn.ts": 'export { call } from "./call.ts";',
    "server/src/agents/turn/call.ts": "export const call = 1;",
  };
  const [start, run, turn, call] = [
    "functions/start",
    "agents/respond/run",
    "agents/turn/turn",
    "agents/turn/call",
  ].map((path) => `server/src/${path}.ts`) as [string, string, string, string];
  const cases: readonly [what: string, files: readonly string[], faults: readonly string[]][] = [
    ["are imported by earlier ones, or through an entry point", [start, run, turn, call], []],
    ["can leave out the last ones", [start, run], []],
    ["are not imported by later ones", [start, turn, run], [`no earlier file of the list imports ${turn}`]],
    [
      "are not imported through files that are not listed",
      [start, run, call],
      [`no earlier file of the list imports ${call}`],
    ],
    ["exist", [start, "server/src/gone.ts"], ["server/src/gone.ts does not exist"]],
    ["are listed once", [start, run, run], [`${run} stands in the list twice`]],
  ];
  for (const [what, files, faults] of cases)
    it(what, () => {
      const tree: DocumentTree = {
        pages: new Map([["docs/architecture.md", `${callPathOf(...files)}\n## Other\n\n| 1 | \`not.ts\` | a | |\n`]]),
        acceptance: new Map(),
        sources: new Map(),
        paths: [],
        scripts: new Set(),
        generated: {},
        mentions: {},
        exists: (path) => path in SOURCES,
        isGenerated: () => false,
        readSource: (path) => SOURCES[path] ?? null,
      };
      assert.deepEqual(
        checkCallPath(tree),
        faults.map((fault) => `docs/architecture.md: ${fault}`),
      );
    });
});
