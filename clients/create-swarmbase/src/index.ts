import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { type App, createApp, NotCreatedError } from "./create-app.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `Usage: npm create swarmbase <folder>

Creates an app on Swarmbase in a new or empty folder: Vite, React, supabase-js and the service itself, and runs npm install in
it. The last part of the folder becomes the name of the app. In a terminal, it then offers to start the app.

--no-install  leaves out npm install
--help        prints this text
--version     prints the version, which is also that of the packages that the app uses
`;
/** The page needs no certificate; other addresses of the service do. */
const TRUST = "The address of the console is printed then; npm run trust makes browsers accept its certificate.\n";
const USAGE_ERROR = 2;

/** Runs the command and returns its exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const version = await readVersion();
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
        "no-install": { type: "boolean" },
      },
    });
    const [target, ...others] = positionals;
    if (values.help === true) terminal.write(HELP);
    else if (values.version === true) terminal.write(`${version}\n`);
    else if (target === undefined || others.length > 0) {
      terminal.writeError(`Name one folder.\n\n${HELP}`);
      return USAGE_ERROR;
    } else {
      const app = await createApp(target, { version, from: terminal.folder });
      const isInstalled = values["no-install"] !== true && (await terminal.install(app.folder));
      const installation = isInstalled ? [] : [terminal.installCommand];
      terminal.write(describeNextSteps({ ...app, folder: relative(terminal.folder, app.folder) }, installation));
      if (isInstalled && (await terminal.ask("\nStart it now? [Y/n] "))) return await terminal.start(app.folder);
    }
    return 0;
  } catch (error) {
    if (error instanceof NotCreatedError) {
      terminal.writeError(`${error.message}\n`);
      return 1;
    }
    if (!isUsageError(error)) throw error;
    terminal.writeError(`${error.message}\n\n${HELP}`);
    return USAGE_ERROR;
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

function isUsageError(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
}

function describeNextSteps({ name, folder }: App, installation: readonly string[]): string {
  const enter = folder === "" ? [] : [`cd ${quote(folder)}`];
  const steps = [...enter, ...installation, "npm run dev"];
  return `Created ${name}. Next:\n\n${steps.map((step) => `  ${step}\n`).join("")}\nThen open http://localhost:5173\n${TRUST}`;
}

/** For the shell of the platform. */
export function quote(path: string): string {
  if (/^[\w./\\-]+$/.test(path)) return path;
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}
