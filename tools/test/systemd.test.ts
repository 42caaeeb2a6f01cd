import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadSettings, SETTINGS } from "../../server/src/config/index.ts";
import serverPackage from "../../server/package.json" with { type: "json" };
import { findFreePort } from "../../server/test/support/free-port.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { until } from "../../server/test/support/until.ts";

const root = join(import.meta.dirname, "../..");
const UNIT = readFileSync(join(root, "deploy/systemd/swarmbase.service"), "utf8");
const whyNoSystemd =
  spawnSync("systemd-analyze", ["--version"], { stdio: "ignore" }).status === 0 ? false : "systemd is not installed";
/** For the embedded PostgreSQL, beyond what the settings say. */
const DATABASE_STOP_SECONDS = 10;
/** Of 10; 2 and less is what systemd calls well protected. */
const MAX_EXPOSURE = 2;

function valuesOf(name: string): readonly string[] {
  return [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

const environment = Object.fromEntries(
  valuesOf("Environment").flatMap((line) => line.split(" ").map((pair) => pair.split("=", 2) as [string, string])),
);

describe("the systemd unit", () => {
  it("names settings of the service and its program", () => {
    const known = new Set<string>(SETTINGS.map(({ name }) => name));
    for (const name of Object.keys(environment)) assert.ok(known.has(name), name);
    const [folder = ""] = valuesOf("WorkingDirectory");
    const [program] = Object.keys(serverPackage.bin);
    assert.deepEqual(valuesOf("ExecStart"), [`${folder}/node_modules/.bin/${program} serve`]);
    assert.ok(environment["DATA_DIR"]?.startsWith(`/var/lib/${valuesOf("StateDirectory")[0]}/`));
    for (const [, name = ""] of UNIT.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b(?!=)/g))
      if (/_(MS|DIR|NODE)$/.test(name)) assert.ok(known.has(name) || name === "BACKUP_DIR", name);
  });

  it("lets the service stop in time, and allows as many files as it has connections", () => {
    const settings = loadSettings(environment);
    const { stopDelayMs, stopTimeoutMs, agentRunStopTimeoutMs } = settings;
    const neededSeconds = (stopDelayMs + stopTimeoutMs + agentRunStopTimeoutMs) / 1_000 + DATABASE_STOP_SECONDS;
    assert.ok(Number(valuesOf("TimeoutStopSec")[0]) >= neededSeconds);
    assert.ok(Number(valuesOf("LimitNOFILE")[0]) > settings.connectionsPerNode);
    assert.deepEqual(valuesOf("KillMode"), ["mixed"]);
  });

  it("is valid, and well protected", { skip: whyNoSystemd }, async (t) => {
    const folder = await createTemporaryFolder(t, "swarmbase-unit-");
    const verify = async (text: string) => {
      const file = join(folder, "swarmbase.service");
      await writeFile(file, text.replaceAll("/opt/swarmbase/node_modules/.bin/swarmbase", process.execPath));
      const run = (...args: readonly string[]) => spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
      return { verified: run("verify"), security: run("security", "--offline=true", "--no-pager") };
    };
    const { verified, security } = await verify(UNIT);
    assert.deepEqual([verified.status, verified.stderr], [0, ""]);
    const [, exposure = "10"] = /Overall exposure level for \S+: ([\d.]+)/.exec(security.stdout) ?? [];
    assert.ok(Number(exposure) <= MAX_EXPOSURE, security.stdout);
    const wrong = await verify(`${UNIT}\n[Service]\nRestrt=always\n`);
    assert.match(wrong.verified.stderr, /Restrt/);
  });

  it("starts a service that ends well with SIGTERM", async (t) => {
    const folder = await createTemporaryFolder(t, "swarmbase-unit-data-");
    const place = (text: string) => text.replaceAll("/opt/swarmbase", root).replaceAll("/var/lib/swarmbase", folder);
    const [program = "", ...args] = place(valuesOf("ExecStart")[0] ?? "").split(" ");
    const port = String(await findFreePort());
    const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, place(value)]));
    await mkdir(folder, { recursive: true });
    const service = spawn(program, args, {
      cwd: root,
      // In the repository the packages are sources.
      env: { PATH: process.env["PATH"], PORT: port, NODE_OPTIONS: "--conditions=swarmbase-source", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(service, "exit") as Promise<[number | null, string | null]>;
    t.after(() => service.kill("SIGKILL"));
    let output = "";
    for (const stream of [service.stdout, service.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await until(
      () => output.includes('"event":"service.started"') || service.exitCode !== null,
      "the service has started",
      () => output,
    );
    assert.equal(service.exitCode, null, output);
    const startedAtMs = performance.now();
    service.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null], output);
    assert.ok(performance.now() - startedAtMs < Number(valuesOf("TimeoutStopSec")[0]) * 1_000);
  });
});
