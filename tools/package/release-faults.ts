import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";

export interface ReleaseState {
  /** The package.json of every package of the release, with its folder. */
  readonly packages: readonly { readonly manifest: Manifest; readonly folder: string }[];
  readonly changelog: string;
  /** As `git status --porcelain` prints it. */
  readonly gitStatus: string;
  /** Tags of the current commit. */
  readonly tags: readonly string[];
}

/** Everything that a release has to be corrected for before it can be published. */
export function findReleaseFaults({ packages, changelog, gitStatus, tags }: ReleaseState): string[] {
  const versions = [...new Set(packages.map(({ manifest }) => manifest.version))];
  const [version = ""] = versions;
  const faults: string[] = [];
  if (versions.length !== 1)
    faults.push(`The packages have several versions: ${describeVersions(packages)}. They are released together.`);
  else {
    if (!changelog.split("\n").some((line) => line.startsWith(`## ${version} `) || line === `## ${version}`))
      faults.push(`CHANGELOG.md has no section "## ${version}".`);
    if (!tags.includes(`v${version}`)) faults.push(`The commit has no tag v${version}.`);
  }
  if (gitStatus.trim() !== "") faults.push(`The working tree has changes:\n${gitStatus.trimEnd()}`);
  return [...faults, ...packages.flatMap((one) => findPackageFaults(one))];
}

function findPackageFaults({ manifest, folder }: ReleaseState["packages"][number]): string[] {
  const { name, license, repository, publishConfig, description } = manifest as Manifest & {
    readonly repository?: { readonly url?: string };
    readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  };
  const isLocated = typeof repository?.url === "string" && repository.url !== "";
  return [
    ...(publishConfig?.provenance === true ? [] : ["publishConfig.provenance is not true"]),
    ...(publishConfig?.access === "public" ? [] : ["publishConfig.access is not public"]),
    ...(isLocated
      ? []
      : ["repository.url is missing, which provenance needs; set it in the package.json of the repository"]),
    ...(license === "Apache-2.0" ? [] : ["license is not Apache-2.0"]),
    ...(description === undefined ? ["description is missing"] : []),
    ...["LICENSE", "README.md"].filter((file) => !existsSync(join(folder, file))).map((file) => `${file} is missing`),
    ...findLooseDependencies(manifest),
  ].map((fault) => `${name}: ${fault}.`);
}

/** A release is what was tested, so its own dependencies have exact versions. */
function findLooseDependencies({ dependencies = {}, optionalDependencies = {} }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...optionalDependencies })
    .filter(([, range]) => !/^\d+\.\d+\.\d+/.test(range))
    .map(([name, range]) => `the dependency ${name} has the range "${range}", not a version`);
}

function describeVersions(packages: ReleaseState["packages"]): string {
  return packages.map(({ manifest: { name, version } }) => `${name} ${version}`).join(", ");
}
