import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeMemoryFolder } from "./memory-folder.ts";
import { removeFolder } from "./remove-folder.ts";
import { runGroups } from "./run-groups.ts";
import { groupTests, writeGroups } from "./test-groups.ts";
import { planTestRun } from "./test-run.ts";
import { variant as ordinaryAccount } from "./variants/ordinary-account.ts";
import { variant as stockSettings } from "./variants/stock-settings.ts";

const root = resolve(`${import.meta.dirname}/..`);
const plan = planTestRun(root, process.argv.slice(2));
if (plan === null) {
  console.error("no test file found");
  process.exitCode = 1;
} else {
  const { options, files, isWhole } = plan;
  const memoryFolder = process.env["TMPDIR"] === undefined ? makeMemoryFolder() : null;
  const groupFolder = mkdtempSync(join(memoryFolder ?? tmpdir(), "swarmbase-groups-"));
  try {
    const groups = groupTests(root, files, [ordinaryAccount, stockSettings]);
    const paths = writeGroups(root, groups, groupFolder);
    // A shared compile cache halves the load time of modules in each process. The product uses this folder too.
    const { NODE_COMPILE_CACHE = join(root, "node_modules/.cache/swarmbase") } = process.env;
    const env = Object.assign(
      { ...process.env, NODE_COMPILE_CACHE, ...(memoryFolder !== null && { TMPDIR: memoryFolder }) },
      ...groups.map(({ variant }) => variant?.setUp ?? {}),
    ) as NodeJS.ProcessEnv;
    process.exitCode = await runGroups({ root, options, paths, env, repeatsFailures: isWhole, folder: groupFolder });
  } finally {
    for (const folder of [groupFolder, memoryFolder])
      for (const failure of folder === null ? [] : removeFolder(folder)) console.error(`not removed: ${failure}`);
  }
}
