import assert from "node:assert/strict";
import { it } from "node:test";
import { findEngines, removeEngines } from "../package/lock-engines.ts";
import { findUndecidedScripts } from "../package/lock-scripts.ts";

const LOCK = JSON.stringify({
  name: "workspace",
  lockfileVersion: 3,
  packages: {
    "": { name: "workspace", engines: { node: ">=20" } },
    server: { version: "0.1.0", engines: { node: ">=20" } },
    "node_modules/new": { version: "1.0.0", engines: { node: ">=22" } },
    "node_modules/old/node_modules/plain": { version: "2.0.0" },
  },
});

it("finds installed packages with engines, and removes nothing else", () => {
  assert.deepEqual(findEngines(LOCK), ["node_modules/new"]);
  const changed = removeEngines(LOCK);
  assert.deepEqual(findEngines(changed), []);
  assert.deepEqual(JSON.parse(changed), {
    name: "workspace",
    lockfileVersion: 3,
    packages: {
      "": { name: "workspace", engines: { node: ">=20" } },
      server: { version: "0.1.0", engines: { node: ">=20" } },
      "node_modules/new": { version: "1.0.0" },
      "node_modules/old/node_modules/plain": { version: "2.0.0" },
    },
  });
});

it("finds install scripts that are neither allowed nor denied", () => {
  const lock = JSON.stringify({
    packages: {
      "": { name: "workspace" },
      "node_modules/plain": { version: "1.0.0" },
      "node_modules/@scope/denied": { version: "1.0.0", hasInstallScript: true },
      "node_modules/allowed": { version: "1.0.0", hasInstallScript: true },
      "node_modules/new": { version: "1.0.0", hasInstallScript: true },
      "node_modules/plain/node_modules/new": { version: "2.0.0", hasInstallScript: true },
    },
  });
  const allowScripts = { "@scope/denied": false, allowed: true };
  assert.deepEqual(findUndecidedScripts(lock, JSON.stringify({ allowScripts })), ["new"]);
  assert.deepEqual(findUndecidedScripts(lock, "{}"), ["@scope/denied", "allowed", "new"]);
});
