import { readFile } from "node:fs/promises";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { PackedPackage } from "./pack.ts";

/** The packages are modules for `import`: what TypeScript finds from `require`, or without `exports`, is not promised. */
const UNSUPPORTED = new Set(["node10", "node16-cjs"]);

/** What publint and Are the types wrong? report about a packed package. */
export async function findTarballFaults({ name, tarball }: PackedPackage): Promise<string[]> {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, level: "warning" });
  // A package without exports is a program.
  const problems = pkg["exports"] === undefined ? [] : await findTypeProblems(bytes);
  return [
    ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
    ...problems.map((problem) => `types: ${JSON.stringify(problem)}`),
  ].map((fault) => `${name}: ${fault}`);
}

async function findTypeProblems(bytes: Uint8Array): Promise<readonly Problem[]> {
  const checked = await checkPackage(createPackageFromTarballData(bytes));
  return checked.types === false ? [] : checked.problems.filter(isSupported);
}

function isSupported(problem: Problem): boolean {
  const resolution = "resolutionKind" in problem ? problem.resolutionKind : "";
  const option = "resolutionOption" in problem ? problem.resolutionOption : "";
  return !UNSUPPORTED.has(resolution) && !UNSUPPORTED.has(option);
}
