import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { type Check, findProgram, runChecks } from "./check-run.ts";
import { printFigures } from "./figures/print-figures.ts";

const root = resolve(`${import.meta.dirname}/..`);

const TEMPLATE = "clients/create-swarmbase/template";
/** The project of the template, with the sources of our packages, which only the compiler can be told to use. */
const NEW_APP = ["--project", TEMPLATE, "--customConditions", "swarmbase-source"];

const CHECKS: readonly Check[] = [
  { name: "format", args: [findProgram(root, "@biomejs/biome", "biome"), "format"] },
  // One program for both: rules that need types take nearly as long as the check of the types.
  {
    name: "lint and types",
    args: [findProgram(root, "oxlint", "oxlint"), "--type-check", "--ignore-pattern", `${TEMPLATE}/**`],
  },
  // Its declarations are only written here: the build of the tests leaves them out.
  { name: "packages", args: ["--conditions=swarmbase-source", "tools/build-packages.ts"] },
  { name: "lint of a new app", args: [findProgram(root, "oxlint", "oxlint"), TEMPLATE] },
  { name: "types of a new app", args: [findProgram(root, "typescript", "tsc"), ...NEW_APP] },
  { name: "architecture", args: ["--conditions=swarmbase-source", "tools/check-architecture.ts"] },
  { name: "documents", args: ["--conditions=swarmbase-source", "tools/check-docs.ts"] },
  { name: "size of the console", args: ["tools/check-console-size.ts"] },
  { name: "lock file", args: ["tools/lock-engines.ts", "--check"] },
  { name: "dead code", args: [findProgram(root, "knip", "knip"), "--no-progress"] },
];

const [option, ...rest] = process.argv.slice(2);
if (option === undefined) {
  const areAllGood = await runChecks(CHECKS, {
    root,
    parallel: Math.max(2, availableParallelism()),
    write: (line) => console.log(line),
  });
  process.exitCode = areAllGood ? 0 : 1;
} else if (option === "--audit" && rest.length === 0) {
  await import("./audit-dependencies.ts");
} else if (option === "--figures" && rest.length <= 1) {
  // Another checkout, to compare.
  printFigures(rest[0] === undefined ? root : resolve(rest[0]));
} else {
  console.error("Usage: npm run check [-- --audit | --figures [folder]]");
  process.exitCode = 2;
}
