import { spawn } from "node:child_process";
import type { Account } from "./choose-account.ts";
import { EmbeddedError } from "./embedded-error.ts";

export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

const MAX_OUTPUT_CHARACTERS = 20_000;

/** PostgreSQL does not inherit our environment: PG* variables, locales and preloaded libraries would affect it. */
export const PROGRAM_ENVIRONMENT = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" } as const;

/** Node.js drops all supplementary groups when it sets another user, so the account gets no groups of root. */
export function accountOptions(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

export function runProgram(
  program: string,
  programArguments: readonly string[],
  o: {
    readonly account: Account | null;
    readonly cwd?: string;
    /** Written to its standard input. */
    readonly input?: string;
    /** Ends the program with SIGTERM. */
    readonly signal?: AbortSignal;
  },
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, {
      stdio: ["pipe", "pipe", "pipe"],
      env: PROGRAM_ENVIRONMENT,
      windowsHide: true,
      ...(o.cwd === undefined ? {} : { cwd: o.cwd }),
      ...accountOptions(o.account),
    });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS);
    };
    const stop = (): boolean => child.kill();
    o.signal?.addEventListener("abort", stop, { once: true });
    child.once("close", () => o.signal?.removeEventListener("abort", stop));
    // A program that ends early does not read it.
    child.stdin.on("error", () => {});
    child.stdin.end(o.input ?? "");
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", (fault) => reject(explainSpawnFault(program, fault)));
    child.once("close", (code) => resolve({ code, output }));
  });
}

export function explainSpawnFault(program: string, fault: Error): EmbeddedError {
  return new EmbeddedError(
    `${program} cannot be run (${fault.message}). The PostgreSQL binaries need a glibc system and a file system that ` +
      "allows programs; where that cannot be had, set DATABASE_URL to a PostgreSQL of your own.",
    { cause: fault },
  );
}
