import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { FRAMEWORKS } from "@swarmbase/sdk";
import {
  type GivenKey,
  loadProviders,
  nameProviders,
  NOTHING_FOUND,
  readGivenKey,
  removeStoredKey,
  selectWrappedKeys,
  storeWrappedKey,
  VENDORS,
  wrapKey,
} from "../agents/index.ts";
import { loadSettings, parseOptions, type Settings, UsageError } from "../config/index.ts";
import { createObserver } from "../observe/index.ts";
import { testKey } from "../wiring/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { withOwnerClient } from "./database-access.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";

export const providerCommand: Command = {
  name: "provider",
  summary: "add, list or remove the keys of model providers",
  help: `
Usage: swarmbase provider add [openai|anthropic|google] [--untested]
       swarmbase provider list
       swarmbase provider remove openai|anthropic|google

add     asks for a key, or reads it from the standard input, sends the provider one small call, and stores the key in the
        database, encrypted with the master key. OpenAI then answers for provider_a, Anthropic for provider_b, Google for
        provider_c. A key that does not work is not stored. The form of most keys says whose they are.
list    prints the frameworks and where their keys come from.
remove  removes a stored key.

--untested  stores the key without the call, for a machine that cannot reach the provider.

Running nodes pick up the change within seconds. Providers of the environment and of PROVIDERS_FILE take precedence.`,
  run: async (context) => {
    const { positionals, values } = parseOptions(context.args, { untested: { type: "boolean" } }, 2);
    const [action, vendor = null] = positionals;
    const settings = loadSettings(context.env);
    if (values.untested === true && action !== "add") throw new UsageError("--untested is an option of: provider add");
    if (action === "add") return add(settings, context, { vendor, isUntested: values.untested === true });
    if (action === "list" && vendor === null) return list(settings, context);
    if (action === "remove" && vendor !== null) return remove(settings, context, vendor);
    throw new UsageError(
      action === undefined ? "The action is missing." : `Unknown action "${positionals.join(" ")}".`,
    );
  },
};

async function add(
  settings: Settings,
  context: CommandContext,
  { vendor, isUntested }: { readonly vendor: string | null; readonly isUntested: boolean },
): Promise<number> {
  // Before the person types a key.
  if (vendor !== null) findFramework(vendor);
  const { stdout, stderr } = context;
  const given = readGivenKey(await readHidden(context, "Key: "), vendor);
  if ("fault" in given) throw new UsageError(given.fault);
  const { framework, key } = given;
  const { title, kind } = VENDORS[framework];
  const tested = isUntested ? null : await test(settings, context, given);
  if (tested?.is_ok === false) {
    stderr.write(`The key of ${title} was not stored: ${tested.message}.\n`);
    return 1;
  }
  await withOwnerClient(settings, context, ({ client, masterKey }) =>
    storeWrappedKey(client, framework, wrapKey(masterKey, framework, key)),
  );
  const answered = tested === null ? "" : ` ${tested.model} answered in ${(tested.duration_ms / 1000).toFixed(1)} s.`;
  stdout.write(`Stored the key of ${title} for ${framework}.${answered}\n`);
  const { state, kind: used, origin } = loadProviders(settings, context.env)[framework];
  if (state !== "unconfigured" && used !== "simulated" && origin === null)
    stdout.write(`The environment or PROVIDERS_FILE configures ${framework} (${used}) and takes precedence.\n`);
  else stdout.write(`Use it in an agent with framework ${framework}, or with a model such as ${kind}/<model>.\n`);
  return 0;
}

async function test(settings: Settings, context: CommandContext, given: GivenKey) {
  const { env: environment, clock, signal, stderr } = context;
  const extensions = await loadConfiguredExtensions(settings, environment);
  // The command prints the result itself.
  const observer = createObserver({ level: "fatal", format: "pretty", destination: stderr });
  return testKey({ settings, environment, extensions, clock, observer, signal }, given);
}

async function list(settings: Settings, context: CommandContext): Promise<number> {
  const stored = await withOwnerClient(settings, context, ({ client }) => selectWrappedKeys(client));
  // The keys stay wrapped: only whose they are is read.
  const providers = loadProviders(settings, context.env, null, { ...NOTHING_FOUND, stored });
  const names = nameProviders(providers);
  for (const framework of FRAMEWORKS) {
    const { state, kind, origin } = providers[framework];
    const from = state === "unconfigured" || kind === "simulated" ? "no key" : (origin ?? "configured");
    context.stdout.write(`${framework}  ${names[framework]}  ${from}\n`);
  }
  return 0;
}

async function remove(settings: Settings, context: CommandContext, vendor: string): Promise<number> {
  const framework = findFramework(vendor);
  const wasThere = await withOwnerClient(settings, context, ({ client }) => removeStoredKey(client, framework));
  if (!wasThere) throw new Error(`There is no stored key of ${VENDORS[framework].title}.`);
  context.stdout.write(`Removed the key of ${VENDORS[framework].title}.\n`);
  return 0;
}

function findFramework(vendor: string) {
  const found = FRAMEWORKS.find((framework) => VENDORS[framework].kind === vendor);
  if (found !== undefined) return found;
  throw new UsageError(`The vendor must be one of ${FRAMEWORKS.map((each) => VENDORS[each].kind).join(", ")}.`);
}

/** Asks for a line at a terminal, without showing what is typed; else reads the whole input. */
async function readHidden({ stdin, stderr, signal }: CommandContext, question: string): Promise<string> {
  if (stdin.isTTY === true) stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  const close = (): void => lines.close();
  signal.addEventListener("abort", close, { once: true });
  lines.on("SIGINT", close);
  try {
    const read: string[] = [];
    for await (const line of lines) {
      read.push(line);
      if (stdin.isTTY === true) break;
    }
    return read.join("\n");
  } finally {
    close();
    signal.removeEventListener("abort", close);
    if (stdin.isTTY === true) stderr.write("\n");
  }
}
