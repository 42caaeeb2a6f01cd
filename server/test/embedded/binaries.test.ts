import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Account, chooseAccount } from "../../src/db/embedded/choose-account.ts";
import { linkLibraries } from "../../src/db/embedded/link-libraries.ts";
import { type BinaryPackage, locateBinaries, readBinaryPackage } from "../../src/db/embedded/locate-binaries.ts";
import { provideBinaries } from "../../src/db/embedded/provide-binaries.ts";
import { runProgram } from "../../src/db/embedded/run-program.ts";
import { cannotBeNobody, makeFolder, NOBODY } from "./running-service.ts";

const isRoot = process.getuid?.() === 0;

/** As `npm ci --ignore-scripts` leaves it. */
async function copyWithoutLinks(folder: string): Promise<BinaryPackage> {
  const { packageDir } = await locateBinaries(process.platform, process.arch);
  const copy = join(folder, "package");
  cpSync(packageDir, copy, { recursive: true, verbatimSymlinks: true });
  for (const { target } of links(copy)) rmSync(join(copy, target), { force: true });
  return readBinaryPackage(copy);
}

function links(packageDir: string): { source: string; target: string }[] {
  return JSON.parse(readFileSync(join(packageDir, "native", "pg-symlinks.json"), "utf8")) as [];
}

function homeFor(t: TestContext, account: Account | null): string {
  const home = join(makeFolder(t), "home");
  mkdirSync(home);
  if (account !== null) chownSync(home, account.uid, account.gid);
  return home;
}

async function assertRuns(postgres: string, account: Account | null): Promise<void> {
  const { code, output } = await runProgram(postgres, ["--version"], { account, cwd: "/" });
  assert.equal(code, 0, output);
  assert.match(output, /PostgreSQL\) 18\./);
}

test("no install script is needed: missing library links are made, by several starts at once", async (t) => {
  const found = await copyWithoutLinks(makeFolder(t));
  assert.equal(found.major, 18);
  const results = await Promise.all(Array.from({ length: 8 }, () => linkLibraries(found.packageDir)));
  assert.deepEqual(new Set(results), new Set([true]));
  assert.ok(links(found.packageDir).length > 0);
  for (const { target } of links(found.packageDir)) {
    assert.equal(lstatSync(join(found.packageDir, target)).isSymbolicLink(), true);
  }
  const binaries = await provideBinaries({ binaryPackage: found, home: homeFor(t, null), account: null });
  assert.ok(binaries.postgres.startsWith(found.packageDir));
  await assertRuns(binaries.postgres, null);
});

test("a package that the account cannot reach is copied", { skip: isRoot ? false : "needs root" }, async (t) => {
  const folder = makeFolder(t);
  const found = await copyWithoutLinks(folder);
  chmodSync(folder, 0o700);
  const account = chooseAccount({ ownUid: 0, passwd: readFileSync("/etc/passwd", "utf8"), clusterOwner: null });
  const home = homeFor(t, null);
  const umask = process.umask(0o077);
  try {
    const first = await provideBinaries({ binaryPackage: found, home, account });
    assert.ok(first.postgres.startsWith(join(home, "binaries")));
    await assertRuns(first.postgres, account);
    const { mtimeMs } = lstatSync(first.postgres);
    const second = await provideBinaries({ binaryPackage: found, home, account });
    assert.equal(lstatSync(second.postgres).mtimeMs, mtimeMs, "a whole copy is used again");

    rmSync(join(home, "binaries", found.version, "native", "share", "postgresql", "postgres.bki"));
    await provideBinaries({ binaryPackage: found, home, account });
    assert.ok(
      lstatSync(join(home, "binaries", found.version, "native", "share", "postgresql", "postgres.bki")).size > 0,
    );
  } finally {
    process.umask(umask);
  }
});

test("links missing in a package that cannot be written lead to a copy", { skip: cannotBeNobody() }, async (t) => {
  const found = await copyWithoutLinks(makeFolder(t));
  const home = homeFor(t, NOBODY);
  const module = new URL("../../src/db/embedded/provide-binaries.ts", import.meta.url).href;
  const source = `
    const { provideBinaries } = await import(${JSON.stringify(module)});
    const { postgres } = await provideBinaries(${JSON.stringify({ binaryPackage: found, home, account: null })});
    console.log(postgres);`;
  const postgres = execFileSync(process.execPath, ["--input-type=module", "-e", source], {
    uid: NOBODY.uid,
    gid: NOBODY.gid,
    cwd: "/",
    encoding: "utf8",
  }).trim();
  assert.ok(postgres.startsWith(home));
  await assertRuns(postgres, NOBODY);
});
