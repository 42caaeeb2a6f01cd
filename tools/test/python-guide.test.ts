import { spawnSync } from "node:child_process";
import { followPage } from "./support/follow-page.ts";

// Follows the guides with the Python of the machine, or the one that PYTHON names, if the clients are installed there.

const python = process.env["PYTHON"] ?? "python3";
const has = (name: string): boolean => spawnSync(python, ["-c", `import ${name}`], { stdio: "ignore" }).status === 0;
async function follow(page: string, ...names: readonly string[]): Promise<void> {
  const missing = names.find((name) => !has(name));
  const skip = missing !== undefined && `${python} with the package ${missing} is not installed`;
  await followPage(page, { skip, programs: { python } });
}

await follow("docs/guides/python.md", "supabase", "openai");
await follow("docs/guides/postgrest-py.md", "postgrest");
