import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { printable } from "../plan/render-plan.ts";
import { openSession, type Session } from "../service/connect.ts";
import { type Context, findTarget, type readOptions, type Values } from "./options.ts";

export interface Output {
  /** Prints the text; values of secrets are replaced, whatever printed them. */
  print(text: string): void;
  hide(secrets: readonly string[]): void;
}

const MIN_SECRET_LENGTH = 4;

/**
 * Signs in, does the work, and ends the session. Messages of errors contain no secret either. Prints the service, the user and
 * the subject first; null prints nothing.
 */
export async function withSession<T>(
  context: Context,
  values: Values,
  {
    subject,
    createsOwner = false,
    work,
  }: {
    readonly subject: string | null;
    readonly createsOwner?: boolean;
    work(session: Session, output: Output): Promise<T>;
  },
): Promise<T> {
  const target = await findTarget(context, values);
  const { access, url } = target;
  const output = createOutput(context.stdout);
  output.hide([access.as === "password" ? access.password : access.as === "token" ? access.token : access.key]);
  const { fetch, close } = context.openFetch({ url, ca: target.ca });
  try {
    const session = await openSession({
      ...target,
      createsOwner,
      fetch,
      signal: context.signal,
      onWait: (seconds) => context.stderr.write(`Rate limit reached: waiting ${seconds} s.\n`),
      sleep: (ms) => sleep(ms, undefined, { signal: context.signal }),
    });
    try {
      const { id, email } = session.owner;
      if (subject !== null) output.print(`${printable(`${url} as ${email ?? id}, ${subject}`)}\n\n`);
      return await work(session, output);
    } finally {
      await session.close();
    }
  } catch (error) {
    // The message of an abort cannot be set, and has nothing of the service.
    if (error instanceof Error && !(error instanceof DOMException)) error.message = output.redact(error.message);
    throw error;
  } finally {
    await close();
  }
}

/** For the commands on a folder of files. */
export function withFolderSession<T>(
  context: Context,
  values: ReturnType<typeof readOptions>,
  work: (session: Session, output: Output) => Promise<T>,
  { createsOwner = false } = {},
): Promise<T> {
  return withSession(context, values, { subject: `folder ${values.folder}`, createsOwner, work });
}

function createOutput(stdout: Context["stdout"]): Output & { redact(text: string): string } {
  const hidden = new Set<string>();
  const redact = (text: string): string =>
    [...hidden]
      .toSorted((one, other) => other.length - one.length)
      .reduce((safe, secret) => safe.replaceAll(secret, () => "(secret)"), text);
  return {
    redact,
    print: (text) => void stdout.write(redact(text)),
    hide(secrets) {
      for (const secret of secrets) if (secret.length >= MIN_SECRET_LENGTH) hidden.add(secret);
    },
  };
}

/** Whether the person, or what is piped in, answers yes. */
export async function confirm({ stdin, stdout, signal }: Context, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    stdout.write(`${question} Only "yes" continues: `);
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    lines.once("close", () => end(""));
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
    lines.once("line", answer);
    const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const text = await Promise.race([answered, ended, stopped]).finally(() =>
      signal.removeEventListener("abort", onAbort),
    );
    stdout.write("\n");
    return text.trim() === "yes";
  } finally {
    lines.close();
  }
}
