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
  /** Migrations that the list of released ones does not have. */
  readonly newMigrations: readonly string[];
}

/** What is wrong with packages, whoever publishes them. */
export function findPackageFaults(packages: ReleaseState["packages"]): string[] {
  const versions = new Set(packages.map(({ manifest }) => manifest.version));
  const several = `The packages have several versions: ${describeVersions(packages)}. They are released together.`;
  return [...(versions.size === 1 ? [] : [several]), ...packages.flatMap((one) => findFaultsOf(one))];
}

/** What the publisher still has to do: the tag, the section of the changelog, the address of the repository. */
export function findPublishingFaults({ packages, changelog, gitStatus, tags, newMigrations }: ReleaseState): string[] {
  const { version = "", ...manifest } = packages[0]?.manifest ?? {};
  const { repository } = manifest as { readonly repository?: { readonly url?: string } };
  const hasSection = changelog
    .split("\n")
    .some((line) => line.startsWith(`## ${version} `) || line === `## ${version}`);
  return [
    ...(hasSection ? [] : [`CHANGELOG.md has no section "## ${version}".`]),
    ...(tags.includes(`v${version}`) ? [] : [`The commit has no tag v${version}.`]),
    ...(newMigrations.length === 0
      ? []
      : [
          `These migrations are not recorded, which npm run generate -- released-migrations does: ${newMigrations.join(", ")}.`,
        ]),
    ...(gitStatus.trim() === "" ? [] : [`The working tree has changes:\n${gitStatus.trimEnd()}`]),
    ...(typeof repository?.url === "string" && repository.url !== ""
      ? []
      : ["repository.url is missing, which provenance needs; set it in the package.json of the repository."]),
  ];
}

function findFaultsOf({ manifest, folder }: ReleaseState["packages"][number]): string[] {
  const { name, license, publishConfig, description } = manifest as Manifest & {
    readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  };
  return [
    ...(publishConfig?.provenance === true ? [] : ["publishConfig.provenance is not true"]),
    ...(publishConfig?.access === "public" ? [] : ["publishConfig.access is not public"]),
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
