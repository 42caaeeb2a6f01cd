import { cp, glob, rm } from "node:fs/promises";
import { join } from "node:path";
import { ATTACHMENT_PATTERNS, COPIED_CONTENT, PAGE_PATTERNS, REPOSITORY } from "./src/content/content.ts";

// A published package has no repository around it, so it contains the Markdown files and what they show.
await rm(COPIED_CONTENT, { recursive: true, force: true });
for await (const file of glob([...PAGE_PATTERNS, ...ATTACHMENT_PATTERNS], { cwd: REPOSITORY }))
  await cp(join(REPOSITORY, file), join(COPIED_CONTENT, file));
