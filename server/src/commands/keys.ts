import { findCredentials, loadKeys, rotateRoleKeys, rotateSigningKey, writeCredentials } from "../auth/index.ts";
import { loadSettings, type Settings } from "../config/index.ts";
import { type Command, type CommandContext, UsageError } from "./command.ts";
import { parseOptions } from "./parse-options.ts";
import { type OwnerAccess, withOwnerClient } from "./with-owner-client.ts";

export const keysCommand: Command = {
  name: "keys",
  summary: "show or rotate the keys of the deployment",
  help: `
Usage: swarmbase keys show
       swarmbase keys rotate [signing]
       swarmbase keys rotate role [--grace <seconds>]

show            prints ANON_KEY and SERVICE_ROLE_KEY and the ids of the keys that tokens are signed with.
rotate signing  makes a new key for access tokens. Tokens signed with the one before stay good: nobody is signed out.
rotate role     makes new ANON_KEY and SERVICE_ROLE_KEY and writes them to credentials.json. The old ones end at once,
                or after --grace seconds.

Nodes that are running use the new keys after a restart.`,
  run: async (context) => {
    const { words, values } = parseOptions(context.args, { grace: { type: "string" } }, 2);
    const [action, what] = words;
    const graceSeconds = parseGrace(values["grace"]);
    if (graceSeconds !== null && what !== "role") throw new UsageError("--grace goes with: keys rotate role");
    const work = chooseWork(action, what, graceSeconds ?? 0);
    const settings = loadSettings(context.env);
    await withOwnerClient(settings, context, (access) => work({ ...access, settings, context }));
    return 0;
  },
};

interface KeyWork extends OwnerAccess {
  readonly settings: Settings;
  readonly context: CommandContext;
}

function chooseWork(action: string | undefined, what: string | undefined, graceSeconds: number) {
  if (action === "show" && what === undefined) return showKeys;
  if (action === "rotate" && (what === undefined || what === "signing")) return rotateSigning;
  if (action === "rotate" && what === "role") return (work: KeyWork) => rotateRole(work, graceSeconds);
  throw new UsageError(
    action === undefined ? "Say what to do with the keys." : `Cannot do "${[action, what].join(" ").trim()}".`,
  );
}

async function showKeys(work: KeyWork): Promise<void> {
  const keys = await load(work);
  const lines = [`ANON_KEY=${keys.anonKey}`, `SERVICE_ROLE_KEY=${keys.serviceRoleKey}`];
  for (const { purpose, status, kid } of keys.signingKeys) lines.push(`# ${purpose} ${status}: ${kid}`);
  work.context.stdout.write(`${lines.join("\n")}\n`);
}

async function rotateSigning({ client, masterKey, context }: KeyWork): Promise<void> {
  const { kid } = await rotateSigningKey(client, { masterKey, clock: context.clock });
  context.stdout.write(`Access tokens are signed with ${kid} from the next start on.\n`);
}

async function rotateRole(work: KeyWork, graceSeconds: number): Promise<void> {
  const { client, masterKey, settings, context } = work;
  const { oldKeysEndAt } = await rotateRoleKeys(client, { masterKey, clock: context.clock, graceSeconds });
  const keys = await load(work);
  const credentials = await findCredentials(settings.dataDir);
  if (credentials !== null) {
    const { anonKey: anon_key, serviceRoleKey: service_role_key } = keys;
    await writeCredentials(settings.dataDir, { ...credentials, anon_key, service_role_key });
  }
  const lines = [
    "Made new keys.",
    `The old ones ${graceSeconds > 0 ? `end at ${oldKeysEndAt.toISOString()}` : "are revoked"}.`,
    `ANON_KEY=${keys.anonKey}`,
    `SERVICE_ROLE_KEY=${keys.serviceRoleKey}`,
  ];
  if (settings.anonKey !== null || settings.serviceRoleKey !== null) {
    lines.push("Keys that are set in the environment win over those in the database, here too.");
  }
  context.stdout.write(`${lines.join("\n")}\n`);
}

function load({ client, masterKey, settings, context }: KeyWork) {
  return loadKeys(client, {
    masterKey,
    clock: context.clock,
    anonKeyOverride: settings.anonKey,
    serviceRoleKeyOverride: settings.serviceRoleKey,
  });
}

function parseGrace(value: unknown): number | null {
  if (value === undefined) return null;
  if (typeof value !== "string" || !/^\d{1,9}$/.test(value)) {
    throw new UsageError("--grace takes a whole number of seconds.");
  }
  return Number(value);
}
