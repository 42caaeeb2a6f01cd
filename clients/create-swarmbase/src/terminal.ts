import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";

export interface Terminal {
  /** Relative paths start here. */
  readonly folder: string;
  write(text: string): void;
  writeError(text: string): void;
  /** What somebody types in the folder of the app to install its packages later. */
  readonly installCommand: string;
  /** Installs the packages of the app, and tells whether it succeeded. */
  install(folder: string): Promise<boolean>;
  /** Nobody is asked without a terminal: the answer is no. */
  ask(question: string): Promise<boolean>;
  /** Runs the app until it ends, and returns its exit code. */
  start(folder: string): Promise<number>;
}

/** The terminal of this process. */
export function openTerminal(folder: string): Terminal {
  return {
    folder,
    installCommand: "npm install",
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    install: async (app) => (await runNpm(app, ["install"])) === 0,
    ask: async (question) => {
      if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      // Ctrl-C and the end of the input close it without an answer.
      const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("no")));
      const answer = await Promise.race([lines.question(question), closed]);
      lines.close();
      return /^(?:y(?:es)?)?$/i.test(answer.trim());
    },
    start: (app) => {
      // Ctrl-C is for the app, which stops all its processes first.
      process.on("SIGINT", () => {});
      return runNpm(app, ["run", "dev"]);
    },
  };
}

/** Returns the exit code. Without `env`, npm gets the environment of this process. */
export function runNpm(folder: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve) => {
    const npm = spawn("npm", args, { cwd: folder, env, stdio: "inherit", shell: process.platform === "win32" });
    npm.on("error", () => resolve(1));
    npm.on("close", (code) => resolve(code ?? 1));
  });
}
