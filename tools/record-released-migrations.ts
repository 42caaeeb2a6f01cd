import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { hashMigrations, MIGRATION_FILES, RELEASED_MIGRATIONS } from "./architecture/rules/released-migrations.ts";
import { readTexts } from "./read-texts.ts";

const root = resolve(`${import.meta.dirname}/..`);
const hashes = hashMigrations(readTexts(root, MIGRATION_FILES));
await writeFile(join(root, RELEASED_MIGRATIONS), `${JSON.stringify(hashes, null, 2)}\n`);
console.log(`wrote ${RELEASED_MIGRATIONS}: ${Object.keys(hashes).length} migrations`);
