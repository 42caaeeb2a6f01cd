import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { GENERATED_PAGES } from "./documents/generated-pages.ts";

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/..`);
for (const [path, render] of Object.entries(GENERATED_PAGES)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), render());
  console.log(`wrote ${path}`);
}
