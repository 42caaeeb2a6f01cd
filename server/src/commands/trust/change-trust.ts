import { execFile } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { CommandContext } from "../command.ts";
import { quoteForShell } from "../quote-for-shell.ts";
import { typedCommand } from "../typed-command.ts";
import {
  type Authority,
  type CommandLine,
  type TrustEnvironment,
  planTrust,
  type TrustAction,
  type TrustStep,
} from "./plan-trust.ts";

export interface TrustChange {
  readonly action: TrustAction;
  readonly authority: Authority;
  readonly machine: TrustEnvironment;
  /** Nobody has to be asked. */
  readonly isConfirmed: boolean;
}

type Context = Pick<CommandContext, "env" | "stdin" | "stdout" | "stderr" | "signal">;

const TEXTS = {
  trust: { done: "trusts the authority now", heading: "To make this machine trust it:" },
  untrust: { done: "does not trust the authority any more", heading: "To remove it from this machine:" },
} as const;

/** Shows the commands, runs those that it can, and prints the others. Returns the exit code. */
export async function changeTrust(change: TrustChange, context: Context): Promise<number> {
  const { action, authority, machine } = change;
  const { stdout } = context;
  const planned = planTrust(action, authority, machine);
  const steps = action === "trust" ? planned : await filterPresent(planned, machine, context);
  const [own, left] = [
    steps.filter(({ obstacle }) => obstacle === null),
    steps.filter(({ obstacle }) => obstacle !== null),
  ];
  stdout.write(
    `${authority.name} in ${authority.file}\nsigns certificates for localhost and loopback addresses only.\n`,
  );
  if (machine.home === null)
    stdout.write("There is no home directory (HOME), so the stores of this account are left out.\n");
  else if (action === "trust" && machine.platform === "linux" && steps.every(({ probe }) => probe === null))
    stdout.write("No store of a browser was found: start the browser once, then run this again.\n");
  if (steps.length === 0) stdout.write("\nNo store was found that would have to be changed.\n");
  if (own.length > 0)
    stdout.write(`\n${TEXTS[action].heading}\n${own.map((step) => renderStep(step, machine)).join("")}`);
  const isAgreed = own.length === 0 || change.isConfirmed || (await confirm(context));
  let failures = 0;
  if (isAgreed) for (const step of own) if (!(await runStep(step, change, context))) failures += 1;
  if (left.length > 0) stdout.write(`\nLeft to you:\n${left.map((step) => renderStep(step, machine)).join("")}`);
  if (!isAgreed)
    stdout.write(
      `\nNothing was changed. To change it without a question: ${typedCommand(`certificate ${action} --yes`)}\n`,
    );
  else if (action === "trust") stdout.write(renderAdvice(authority, machine));
  return isAgreed && failures === 0 ? 0 : 1;
}

async function filterPresent(
  steps: readonly TrustStep[],
  machine: TrustEnvironment,
  context: Context,
): Promise<TrustStep[]> {
  const present: TrustStep[] = [];
  for (const step of steps) {
    const canAsk = step.obstacle === null && step.probe !== null;
    if (!canAsk || (await runProgram(step.probe, machine, context)) === null) present.push(step);
  }
  return present;
}

function renderStep({ store, commands, obstacle }: TrustStep, { platform }: TrustEnvironment): string {
  const lines = commands.map((command) => `    ${command.map((word) => quoteForShell(word, platform)).join(" ")}\n`);
  return `  ${store}${obstacle === null ? "" : ` (${obstacle})`}\n${lines.join("")}`;
}

/** Without a terminal there is nobody to ask. The end of the input and Ctrl-C mean no. */
async function confirm({ stdin, stdout, signal }: Context): Promise<boolean> {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return false;
  const lines = createInterface({ input: stdin, terminal: false, signal });
  stdout.write("\nRun these commands? [y/N] ");
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    stdout.write("\n");
    return false;
  } finally {
    lines.close();
  }
}

async function runStep(
  { store, commands }: TrustStep,
  { action, machine }: TrustChange,
  context: Context,
): Promise<boolean> {
  for (const command of commands) {
    const fault = await runProgram(command, machine, context);
    if (fault === null) continue;
    context.stderr.write(`  failed: ${store}: ${command[0]}: ${fault}\n`);
    return false;
  }
  context.stdout.write(`  done: ${store} ${TEXTS[action].done}\n`);
  return true;
}

/** Returns null on success, otherwise what went wrong. No shell reads the arguments. */
async function runProgram(
  [name, ...args]: CommandLine,
  machine: TrustEnvironment,
  { env, signal }: Context,
): Promise<string | null> {
  const program = machine.find(name);
  if (program === null) return "the program is missing";
  try {
    const running = promisify(execFile)(program, args, { env, signal });
    running.child.stdin?.end();
    await running;
    return null;
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    // Tools print the cause last, and paths that they read in it.
    return (stderr.trim().split("\n").at(-1) || message).replace(/\p{Cc}/gu, " ");
  }
}

/** A program cannot set a variable of the shells of its user. */
function renderAdvice({ file }: Authority, { platform }: TrustEnvironment): string {
  const set = (name: string, value: string): string =>
    platform === "win32"
      ? `setx ${name} ${quoteForShell(value, platform)}`
      : `export ${name}=${quoteForShell(value, platform)}`;
  return [
    "",
    "Restart browsers that are open. Node.js has a list of its own, which a variable extends:",
    `  ${set("NODE_EXTRA_CA_CERTS", file)}`,
    "If the store of the system trusts the authority, Node.js 22.19, 24.6 and later can also use that:",
    `  ${set("NODE_USE_SYSTEM_CA", "1")}`,
    `To undo: ${typedCommand("certificate untrust")}`,
    "",
  ].join("\n");
}
