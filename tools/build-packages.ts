import { join, resolve } from "node:path";
import { buildPackages } from "./package/build.ts";

const root = resolve(`${import.meta.dirname}/..`);
const to = join(root, "dist/packages");
await buildPackages({ root, to, write: (line) => console.log(line) });
console.log(`built in ${to}`);
