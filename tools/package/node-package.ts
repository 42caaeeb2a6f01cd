import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, writeManifest } from "./manifest.ts";

export const NODE_PACKAGE = "@swarmbase/node";
/** As in server/bin/swarmbase.js. */
const NEEDED_MAJOR = /const NEEDED_MAJOR = (\d+);/;

/**
 * The package.json of the package that installs the pinned Node.js. It has no files of its own. npm skips an optional dependency whose
 * engines do not match, and everything that only it depends on: so where the Node.js of the machine is recent enough, the pinned
 * one is not installed.
 */
export function writeNodeManifest(root: string, version: string, repository: unknown): Manifest {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const [, major] = NEEDED_MAJOR.exec(readFileSync(join(root, "server/bin/swarmbase.js"), "utf8")) ?? [];
  if (major === undefined) throw new Error("server/bin/swarmbase.js does not say which Node.js it needs");
  const source = {
    name: NODE_PACKAGE,
    version,
    description: "The Node.js that runs Swarmbase where that of the machine is too old",
    license: "Apache-2.0",
    engines: { node: `<${major}` },
    optionalDependencies,
  };
  return writeManifest(source, { own: new Set(), repository, directory: "tools/package", bundled: [] });
}

export const NODE_README = `# ${NODE_PACKAGE}

Installs the Node.js that [Swarmbase](https://www.npmjs.com/package/swarmbase) runs on, as a dependency of the package \`swarmbase\`, where
the Node.js of the machine is older than what Swarmbase needs. npm skips this package elsewhere. It has no code of its own.
`;
