import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planSchema } from "../../src/db/schema/plan-schema.ts";
import type { Migration, SchemaFiles } from "../../src/db/schema/schema-files.ts";

const HASH = "of this build";

function migration(name: string): Migration {
  const file = { name, text: "" };
  const isContract = name.endsWith(".contract");
  const number = Number.parseInt(name, 10);
  return { name, number, isContract, hash: HASH, beforeFunctions: file, afterFunctions: file };
}

const FILES: SchemaFiles = {
  migrations: ["0001_agents", "0002_names", "0003_old_names.contract", "0004_colours"].map(migration),
  functions: [{ name: "functions/agents", text: "", hash: "new" }],
  comments: [{ name: "comments/agents", text: "", hash: "new" }],
};

interface Case {
  readonly title: string;
  readonly applied: readonly string[];
  /** Of the migrations that are applied; of this build unless it is given. */
  readonly hash?: string;
  readonly oldestLevel: number | null;
  readonly migrations?: readonly string[];
  readonly waiting?: readonly string[];
  readonly unknown?: readonly string[];
  readonly fault?: RegExp;
}

const CONTRACT = "0003_old_names.contract";
const CASES: readonly Case[] = [
  {
    title: "a new database gets everything in order",
    applied: [],
    oldestLevel: null,
    migrations: ["0001_agents", "0002_names", CONTRACT, "0004_colours"],
  },
  {
    title: "a contract migration waits for a node that is older than it",
    applied: ["0001_agents"],
    oldestLevel: 1,
    migrations: ["0002_names", "0004_colours"],
    waiting: [CONTRACT],
  },
  {
    title: "a node of the release that introduced the contract migration does not prevent it",
    applied: ["0001_agents", "0002_names", "0004_colours"],
    oldestLevel: 3,
    migrations: [CONTRACT],
  },
  {
    title: "a contract migration may be applied after later ones",
    applied: ["0001_agents", "0002_names", "0004_colours"],
    oldestLevel: null,
    migrations: [CONTRACT],
  },
  {
    title: "any other migration that is lacking before the last one is a fault",
    applied: ["0001_agents", "0004_colours"],
    oldestLevel: null,
    fault: /Another build of Swarmbase made this database: its migrations differ \(0002_names\)\. Use that build, or/,
  },
  {
    title: "a migration with another text is a fault that names both ways on",
    applied: ["0001_agents"],
    hash: "of another build",
    oldestLevel: null,
    fault:
      /\(0001_agents\)\. Use that build, or start this one with an empty data directory or database\. Nothing was changed\./,
  },
  {
    title: "a migration of a newer release is no fault",
    applied: ["0001_agents", "0002_names", CONTRACT, "0004_colours", "0005_sizes"],
    oldestLevel: null,
    unknown: ["0005_sizes"],
  },
  {
    title: "a contract migration of a newer release is a fault",
    applied: ["0001_agents", "0002_names", CONTRACT, "0004_colours", "0006_old_sizes.contract"],
    oldestLevel: null,
    unknown: ["0006_old_sizes.contract"],
    fault: /A newer release has removed .* \(0006_old_sizes\.contract\)/,
  },
];

describe("planning the schema", () => {
  for (const { title, applied, hash = HASH, oldestLevel, migrations, waiting = [], unknown = [], fault } of CASES)
    it(title, () => {
      const hashedFiles = new Map(applied.length === 0 ? [] : [["functions/agents", "old"]]);
      const history = { migrations: new Map(applied.map((name) => [name, hash])), hashedFiles };
      const plan = planSchema(FILES, history, oldestLevel);
      if (fault === undefined) assert.equal(plan.fault, null);
      else assert.match(plan.fault ?? "", fault);
      if (fault === undefined)
        assert.deepEqual(
          plan.migrations.map(({ name }) => name),
          migrations ?? [],
        );
      const isOlder = unknown.length > 0;
      assert.deepEqual([plan.functions, plan.comments], isOlder ? [[], []] : [FILES.functions, FILES.comments]);
      assert.deepEqual(plan.waiting, waiting);
      assert.deepEqual(plan.unknown, unknown);
    });
});
