import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../config/index.ts";
import type { TrustEnvironment } from "./plan-trust.ts";

/** Programs of the administrator, which the PATH of an ordinary account often lacks. */
const ADMIN_FOLDERS = ["usr/sbin", "sbin"];

/** This machine; `root` is where the folders of the system are. */
export function readMachine(env: Environment, root = "/"): TrustEnvironment {
  const home = env["HOME"] ?? "";
  return {
    platform: process.platform,
    home: isAbsolute(home) ? home : null,
    isRoot: process.geteuid?.() === 0,
    root,
    find: (program) => findProgram(program, env, root),
    has: (path) => existsSync(path),
    list: (folder) => {
      try {
        // Names are printed to the terminal.
        return readdirSync(folder).filter((name) => !/\p{Cc}/u.test(name));
      } catch {
        return [];
      }
    },
  };
}

function findProgram(program: string, env: Environment, root: string): string | null {
  const { SystemRoot: windows } = env;
  // On Windows, a certutil in the PATH may be that of NSS, which is another program.
  const candidates =
    process.platform === "win32"
      ? [join(windows ?? "C:\\Windows", "System32", `${program}.exe`)]
      : [
          ...(env["PATH"] ?? "").split(delimiter).filter(isAbsolute),
          ...ADMIN_FOLDERS.map((path) => join(root, path)),
        ].map((folder) => join(folder, program));
  return candidates.find((path) => isExecutable(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
