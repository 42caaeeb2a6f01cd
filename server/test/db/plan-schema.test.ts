import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planSchema } from "../../src/db/schema/plan-schema.ts";
import type { Migration, SchemaFiles } from "../../src/db/schema/schema-files.ts";

function migration(name: string): Migration {
  const file = { name, text: "" };
  const isContract = name.endsWith(".contract");
  return { name, number: Number.parseInt(name, 10), isContract, beforeFunctions: file, afterFunctions: file };
}

const FILES: SchemaFiles = {
  migrations: ["0001_agents", "0002_names", "0003_old_names.contract", "0004_colours"].map(migration),
  functions: [{ name: "functions/agents", text: "", hash: "new" }],
  legacy: [],
};

interface Case {
  readonly title: string;
  readonly applied: readonly string[];
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
    fault: /ends with 0004_colours; lacks 0002_names/,
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
  for (const { title, applied, oldestLevel, migrations, waiting = [], unknown = [], fault } of CASES)
    it(title, () => {
      const functions = new Map(applied.length === 0 ? [] : [["functions/agents", "old"]]);
      const plan = planSchema(FILES, { migrations: applied, functions }, oldestLevel);
      if (fault === undefined) assert.equal(plan.fault, null);
      else assert.match(plan.fault ?? "", fault);
      if (fault === undefined)
        assert.deepEqual(
          plan.migrations.map(({ name }) => name),
          migrations ?? [],
        );
      assert.deepEqual(plan.waiting, waiting);
      assert.deepEqual(plan.unknown, unknown);
    });
});
