import { spawnSync } from "node:child_process";
import { followPage } from "./support/follow-page.ts";

// Follows the guides with the Python of the machine, or the one that PYTHON names, if the clients are installed there.

const python = process.env["PYTHON"] ?? "python3";
const has = (name: string): boolean => spawnSync(python, ["-c", `import ${name}`], { stdio: "ignore" }).status === 0;
const follow = (page: string, name: string): Promise<void> =>
  followPage(page, { skip: !has(name) && `${python} with the package ${name} is not installed`, programs: { python } });

await follow("docs/guides/python.md", "supabase");
await follow("docs/guides/postgrest-py.md", "postgrest");
await follow("docs/guides/openai-python.md", "openai");
