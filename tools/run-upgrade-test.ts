import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { RELEASED_MIGRATIONS } from "./architecture/rules/released-migrations.ts";

const ROOT = resolve(import.meta.dirname, "..");
const START_MS = 120_000;
const POLL_MS = 100;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const WITHOUT_LIMITS = { LIMIT_API: "0", LIMIT_AUTH: "0", LIMIT_AI: "0", LIMIT_TOOLS: "0", LIMIT_WEBHOOKS: "0" };

interface Credentials {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  readonly ca_cert_file: string;
  readonly database_url: string;
}

interface Node {
  readonly release: string;
  readonly credentials: Credentials;
  readonly child: ChildProcess;
}

/**
 * Runs a node of another release and one of this release on the same database, whose schema this release has migrated, and the acceptance
 * tests of each release against its node. `npm run test:system -- upgrade` takes the last release, from the history of the repository;
 * `--from <folder>` the repository of another one, installed.
 */
const { values } = parseArgs({ options: { from: { type: "string" } } });
process.exitCode = (
  values.from === undefined
    ? await withLastRelease(testUpgrade)
    : await testUpgrade(resolve(values.from))
)
  ? 0
  : 1;

/** The last release is the commit that recorded its migrations. */
async function withLastRelease(test: (from: string) => Promise<boolean>): Promise<boolean> {
  const commit = await runIn(ROOT, "git", ["log", "-1", "--format=%H", "--", RELEASED_MIGRATIONS]);
  if (commit === "") {
    console.error(`No release is recorded in ${RELEASED_MIGRATIONS}. Name the folder of another release with --from.`);
    return false;
  }
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-release-"));
  try {
    await runIn(ROOT, "git", ["worktree", "add", "--detach", folder, commit]);
    await runIn(folder, "npm", ["ci"]);
    return await test(folder);
  } finally {
    await runIn(ROOT, "git", ["worktree", "remove", "--force", folder]);
  }
}

async function runIn(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const options = { cwd, maxBuffer: MAX_OUTPUT_BYTES };
  return (await promisify(execFile)(program, args, options)).stdout.trim();
}

async function testUpgrade(from: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-upgrade-"));
  const nodes: Node[] = [];
  try {
    const [oldDir, newDir] = [join(folder, "old"), join(folder, "new")];
    const older = await startNode(from, oldDir, {});
    nodes.push(older);
    // One authority for both nodes, as either of them may send a webhook of the other.
    await mkdir(newDir, { mode: 0o711 });
    await cp(join(oldDir, "tls"), join(newDir, "tls"), { recursive: true });
    const newer = await startNode(ROOT, newDir, {
      DATABASE_URL: older.credentials.database_url,
      MASTER_KEY: (await readFile(join(oldDir, "master.key"), "utf8")).trim(),
    });
    nodes.push(newer);
    let isGood = true;
    for (const { release, credentials } of nodes) {
      console.log(`\nThe acceptance tests of ${release}`);
      isGood = (await runAcceptance(release, credentials)) && isGood;
    }
    return isGood;
  } finally {
    for (const { child } of nodes.toReversed()) await stop(child);
    await rm(folder, { recursive: true, force: true });
  }
}

async function startNode(release: string, dataDir: string, settings: Record<string, string>): Promise<Node> {
  const child = spawn(process.execPath, ["-C", "swarmbase-source", join(release, "server/bin/swarmbase.js"), "serve"], {
    cwd: release,
    env: {
      PATH: process.env["PATH"],
      PROVIDER_DETECTION: "false",
      ...WITHOUT_LIMITS,
      PORT: "0",
      WORKERS: "1",
      DATA_DIR: dataDir,
      ...settings,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const deadline = Date.now() + START_MS;
  for (;;) {
    const text = await readFile(join(dataDir, "credentials.json"), "utf8").catch(() => null);
    if (text !== null) return { release, child, credentials: JSON.parse(text) as Credentials };
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop(child);
      throw new Error(`the node of ${release} did not start`);
    }
    await sleep(POLL_MS);
  }
}

async function runAcceptance(release: string, credentials: Credentials): Promise<boolean> {
  const child = spawn(process.execPath, ["tools/run-tests.ts", "acceptance/*.test.ts"], {
    cwd: release,
    env: {
      ...process.env,
      SWARMBASE_URL: credentials.url,
      SWARMBASE_ANON_KEY: credentials.anon_key,
      SWARMBASE_SERVICE_ROLE_KEY: credentials.service_role_key,
      SWARMBASE_CA_FILE: credentials.ca_cert_file,
      SWARMBASE_DATABASE_URL: credentials.database_url,
    },
    stdio: "inherit",
  });
  await once(child, "exit");
  return child.exitCode === 0;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}
