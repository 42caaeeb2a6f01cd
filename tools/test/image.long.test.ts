import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, readFile } from "node:fs/promises";
import { join, matchesGlob } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { buildImage } from "../image/build-image.ts";

const root = join(import.meta.dirname, "../..");
const DOCKERFILE = "deploy/container/Dockerfile";
const PATH = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;

const skip = process.getuid?.() === 0 ? false : "the steps of an image run as root";

it("the steps of the image lead to a service that runs on a read-only file system without privileges", {
  skip,
}, async (t) => {
  // Runs before the folder is removed.
  const endings: (() => Promise<void> | void)[] = [];
  t.after(async () => {
    for (const end of endings) await end();
  });
  const folder = await createTemporaryFolder(t, "swarmbase-image-");
  const context = join(folder, "context");
  await mkdir(context);
  copyContext(context);
  const image = buildImage({
    dockerfile: join(context, DOCKERFILE),
    context,
    folder: join(folder, "stages"),
    env: { ...withoutNpm(process.env), PATH },
  });

  const [uid = 0, gid = 0] = (image.user ?? "").split(":").map(Number);
  assert.ok(uid > 0, "the image runs as an ordinary user");
  assert.equal(image.stopSignal, "SIGTERM");
  const dataDir = join(image.root, image.env["DATA_DIR"] ?? "");
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(dataDir, uid, gid);
  await chmod(join(folder, "stages"), 0o711);
  execFileSync("chmod", ["-R", "a-w", join(image.root, image.workingDir)]);
  endings.push(() => void execFileSync("chmod", ["-R", "u+w", join(image.root, image.workingDir)]));

  const locked = versionsOf(join(root, "package-lock.json"));
  for (const [name, versions] of versionsOf(join(image.root, image.workingDir, "node_modules/.package-lock.json")))
    for (const version of versions) assert.ok(locked.get(name)?.has(version), `${name} ${version} is locked`);

  const port = await findFreePort();
  const options = {
    cwd: join(image.root, image.workingDir),
    env: { PATH, ...image.env, DATA_DIR: dataDir, HOST: "127.0.0.1", PORT: String(port) },
    ...(isRoot && { uid, gid }),
  };
  const [program = "", ...args] = image.command;
  const service = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [service.stdout, service.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(service, "exit") as Promise<[number | null]>;
  endings.unshift(async () => {
    service.kill("SIGKILL");
    await ended;
  });
  const [checker = "", ...checkerArgs] = image.healthCheck;
  const isHealthy = (): boolean => {
    const { status, stderr } = spawnSync(checker, checkerArgs, { ...options, encoding: "utf8" });
    assert.equal(stderr, "", "the health check prints nothing");
    return status === 0;
  };
  assert.equal(isHealthy(), false, "nothing serves yet");
  const deadline = Date.now() + 120_000;
  while (!isHealthy()) {
    assert.equal(service.exitCode, null, output);
    assert.ok(Date.now() < deadline, output);
    await sleep(200);
  }
  const credentials = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { ca_cert_file: string };
  const page = execFileSync(program, ["-e", FETCH_CONSOLE], {
    ...options,
    env: { ...options.env, NODE_EXTRA_CA_CERTS: credentials.ca_cert_file },
    encoding: "utf8",
  });
  assert.match(page, /^200 .*<!doctype html>/is);
  service.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null], output);
});

const FETCH_CONSOLE =
  "fetch(`https://localhost:${process.env.PORT}/`, { headers: { accept: 'text/html' } }).then(async (r) => console.log(r.status, (await r.text()).slice(0, 100)))";

/** The versions of each dependency in a lock file, without our own packages. */
function versionsOf(lockFile: string): Map<string, Set<string>> {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as { packages: Record<string, { version: string }> };
  const versions = new Map<string, Set<string>>();
  for (const [path, { version }] of Object.entries(packages)) {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (!path.includes("node_modules/") || /^(?:@swarmbase\/|swarmbase$)/.test(name)) continue;
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return versions;
}

/** Without what npm tells its scripts: the folder of its cache may belong to another account. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("npm_")));
}

/** Copies the files of the working tree that the ignore file of the image does not exclude. */
function copyContext(to: string): void {
  // The files may belong to another account.
  const listing = ["-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", listing, { cwd: root, encoding: "utf8" }).split("\n");
  const excluded = readFileSync(join(root, `${DOCKERFILE}.dockerignore`), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((pattern) => [pattern, `${pattern}/**`]);
  const kept = files.filter((file) => file !== "" && !excluded.some((pattern) => matchesGlob(file, pattern)));
  const archive = execFileSync("tar", ["--create", "--files-from", "-"], {
    cwd: root,
    input: kept.join("\n"),
    maxBuffer: 1024 ** 3,
  });
  execFileSync("tar", ["--extract"], { cwd: to, input: archive });
}
