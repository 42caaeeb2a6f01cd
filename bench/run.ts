import { installPeers } from "./runner/install-peers.ts";
import { PARTS, SINGLE_PARTS } from "./runner/parts.ts";
import { runAll } from "./runner/run-all.ts";

/**
 * `npm run bench -- [--quick] [--only rest,webhooks] [--output folder]` measures all parts and writes the results,
 * `npm run bench -- <part> [options of the part]` prints those of one part.
 */
const [name = "", ...args] = process.argv.slice(2);
const names = [...PARTS.map((part) => part.name), ...SINGLE_PARTS];
if (name === "" || name.startsWith("-")) {
  process.exitCode = await runAll(process.argv.slice(2));
} else if (names.includes(name)) {
  const hasPeers = PARTS.some((part) => part.name === name && part.hasPeers);
  if (hasPeers && !args.includes("--smoke") && !args.includes("--without-peers")) installPeers();
  // The part reads its own options.
  process.argv.splice(2, 1);
  await import(`./${name}/run.ts`);
} else {
  process.stderr.write(`There is no part ${name}; there are ${names.join(", ")}.\n`);
  process.exitCode = 1;
}
