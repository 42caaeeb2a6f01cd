import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../check-run.ts";
import { openPageSession, START } from "../documents/page-session.ts";
import { readSnippets } from "../documents/read-snippets.ts";
import { SERVICE } from "./manifest.ts";
import { NODE_PACKAGE } from "./node-package.ts";
import { followReadme } from "./follow-readme.ts";
import type { PackedRelease } from "./packed-release.ts";

export interface TryOptions {
  readonly root: string;
  /** Installs the service alone, and starts and asks it once, instead of all packages and the whole page. */
  readonly isQuick: boolean;
  write(line: string): void;
}

/** What the pages run in a clone, and what stands for it where the packages are installed. */
const INSTALLED = { [START]: "npx swarmbase", "npm run demo": "npx swarmbase demo" };
const PAGE = "docs/guides/getting-started.md";
const ASK_HEALTH = `NODE_EXTRA_CA_CERTS=.swarmbase/tls/ca-cert.pem node -e '
fetch("https://localhost:8443/health").then(({ status }) => process.exit(status === 200 ? 0 : 1))'`;
const USES = `import { LIMITS } from "@swarmbase/sdk";
import { defineExtension, type Extension } from "swarmbase/extension";
import { startSwarmbase } from "swarmbase/testing";
export const extension: Extension = defineExtension({
  name: "notes",
  summary: "Notes",
  docs: new URL("README.md", import.meta.url),
});
export const url: Promise<string> = startSwarmbase({ settings: { CONSOLE_ENABLED: "true" } }).then((instance) => instance.url);
export const limits: object = LIMITS;
// @ts-expect-error the name of an extension is a text
export const wrong = defineExtension({ name: 5 });
// @ts-expect-error settings are texts
export const wrongSettings = startSwarmbase({ settings: { PORT: 5 } });
`;

/** Installs the packed packages in an empty folder, checks their types, follows the first page of the guides and the README, and returns the SBOM. */
export async function tryRelease(release: PackedRelease, { root, isQuick, write }: TryOptions): Promise<string> {
  const project = await release.makeProject("app");
  const nodeFolder = dirname(process.execPath);
  const names = release.packages.map(({ name }) => name).filter((name) => name !== NODE_PACKAGE);
  const wanted = isQuick ? [SERVICE] : [...names, "@supabase/supabase-js"];
  const installation = await release.run(project, nodeFolder, "npm", "install", ...wanted);
  if (/EBADENGINE|deprecated/.test(installation)) throw new Error(`npm warns about the packages:\n${installation}`);
  write(`installed ${wanted.length === 1 ? SERVICE : `${wanted.length} packages`}`);
  await checkInstalledTypes(project, root);
  write("checked the types of an importing file");
  const sbom = await release.run(project, nodeFolder, "npm", "sbom", "--sbom-format", "cyclonedx");
  await followPage(release, project, { root, isQuick, write });
  if (!isQuick) {
    await followReadme(release, root);
    write("README.md: created and started an app");
  }
  return describeShipped(sbom);
}

/** Compiles a file that imports the installed packages. */
export async function checkInstalledTypes(project: string, root: string): Promise<void> {
  await writeFile(join(project, "uses.ts"), USES);
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const words = [findProgram(root, "typescript", "tsc"), ...options, ...types, "uses.ts"];
  await promisify(execFile)(process.execPath, words, { cwd: project }).catch((error: unknown) => {
    const { stdout } = error as { readonly stdout?: string };
    throw new Error(`an importing file has errors of types:\n${stdout}`, { cause: error });
  });
}

async function followPage(release: PackedRelease, project: string, options: TryOptions): Promise<void> {
  const { root, isQuick, write } = options;
  const environment = release.environment(dirname(process.execPath));
  const session = openPageSession({ folder: project, environment, account: release.account, replaced: INSTALLED });
  try {
    for (const snippet of readSnippets(await readFile(join(root, PAGE), "utf8"))) {
      if (snippet.kind === "file") await session.save(snippet.name, snippet.text);
      for (const command of snippet.kind === "file" ? [] : snippet.commands) {
        await session.follow(command);
        write(`${PAGE}, line ${snippet.line}: ${command.text}`);
        // The page begins with the start of the service.
        if (isQuick) return void (await session.run(ASK_HEALTH));
      }
    }
  } finally {
    await session.close();
  }
}

/** The addresses are those of the registry of this run. */
function describeShipped(sbom: string): string {
  // npm prints warnings of its configuration before or after the document.
  const document = JSON.parse(sbom.slice(sbom.indexOf("{"), sbom.lastIndexOf("}") + 1)) as {
    readonly components: readonly { readonly externalReferences?: readonly { readonly type: string }[] }[];
  };
  const components = document.components.map(({ externalReferences = [], ...component }) => ({
    ...component,
    externalReferences: externalReferences.filter(({ type }) => type !== "distribution"),
  }));
  return `${JSON.stringify({ ...document, components }, null, 2)}\n`;
}
