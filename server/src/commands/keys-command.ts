import { readFile } from "node:fs/promises";
import {
  findCredentials,
  importSigningKey,
  type KeyFile,
  loadKeys,
  revokeSigningKey,
  rotateRoleKeys,
  rotateSigningKey,
  TOKEN_ALGORITHMS,
  writeCredentials,
} from "../auth/index.ts";
import { loadSettings, parseOptions, type Settings, UsageError } from "../config/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { type OwnerAccess, withOwnerClient } from "./database-access.ts";

const OPTIONS = {
  grace: { type: "string" },
  algorithm: { type: "string" },
  file: { type: "string" },
  kid: { type: "string" },
  current: { type: "boolean" },
} as const;
const OPTIONS_OF_IMPORT = ["algorithm", "file", "kid", "current"] as const;

export const keysCommand: Command = {
  name: "keys",
  summary: "show, rotate, import or revoke the keys of the deployment",
  help: `
Usage: swarmbase keys show
       swarmbase keys rotate [signing]
       swarmbase keys rotate role [--grace <seconds>]
       swarmbase keys import --algorithm HS256|RS256|ES256 --file <path> [--kid <id>] [--current]
       swarmbase keys revoke <id>

show            prints ANON_KEY, SERVICE_ROLE_KEY and the ids of the signing keys.
rotate signing  creates a new key for access tokens. Tokens of the previous key stay valid: nobody is signed out.
rotate role     creates a new ANON_KEY and SERVICE_ROLE_KEY and writes them to credentials.json. The old ones become
                invalid at once, or after --grace seconds.
import          adds an external key (a JWK or a PEM; for HS256 also a file with the secret), so that tokens signed
                with it are valid. A public key only verifies. With --current a private key or a secret becomes the
                signing key. --kid sets the id of the key when the file has none.
revoke          revokes a key for access tokens and all tokens signed with it. Not the signing key: rotate it first.

Running nodes pick up the change within 30 seconds.`,
  run: async (context) => {
    const { positionals, values } = parseOptions(context.args, OPTIONS, 2);
    const work = chooseWork(positionals, values);
    const settings = loadSettings(context.env);
    await withOwnerClient(settings, context, (access) => work({ ...access, settings, context }));
    return 0;
  },
};

interface KeyWork extends OwnerAccess {
  readonly settings: Settings;
  readonly context: CommandContext;
}

type KeyOptions = ReturnType<typeof parseOptions<typeof OPTIONS>>["values"];

function chooseWork([action, what]: readonly string[], values: KeyOptions) {
  const graceSeconds = parseGrace(values.grace);
  if (graceSeconds !== null && what !== "role") throw new UsageError("--grace is an option of: keys rotate role");
  const misplaced = OPTIONS_OF_IMPORT.find((name) => values[name] !== undefined);
  if (misplaced !== undefined && action !== "import")
    throw new UsageError(`--${misplaced} is an option of: keys import`);

  if (action === "show" && what === undefined) return showKeys;
  if (action === "rotate" && (what === undefined || what === "signing")) return rotateSigning;
  if (action === "rotate" && what === "role") return (work: KeyWork) => rotateRole(work, graceSeconds ?? 0);
  if (action === "import" && what === undefined) {
    const key = parseImport(values);
    return (work: KeyWork) => importKey(work, key);
  }
  if (action === "revoke") {
    if (what === undefined) throw new UsageError("Name the key: keys revoke <id>");
    return (work: KeyWork) => revokeKey(work, what);
  }
  throw new UsageError(
    action === undefined ? "The action is missing." : `Unknown action "${[action, what].join(" ").trim()}".`,
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
  context.stdout.write(`Access tokens are now signed with ${kid}.\n`);
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
    "Created new keys.",
    `The old ones ${graceSeconds > 0 ? `are valid until ${oldKeysEndAt.toISOString()}` : "are revoked"}.`,
    `ANON_KEY=${keys.anonKey}`,
    `SERVICE_ROLE_KEY=${keys.serviceRoleKey}`,
  ];
  if (settings.anonKey !== null || settings.serviceRoleKey !== null) {
    lines.push("Keys in the environment take precedence over those in the database, also for this command.");
  }
  context.stdout.write(`${lines.join("\n")}\n`);
}

interface KeyImport extends Omit<KeyFile, "text"> {
  readonly path: string;
  readonly isCurrent: boolean;
}

async function importKey(work: KeyWork, { path, isCurrent, ...file }: KeyImport): Promise<void> {
  const { client, masterKey, context } = work;
  const text = await readFile(path, "utf8");
  const { kid } = await importSigningKey(client, {
    masterKey,
    clock: context.clock,
    file: { ...file, text },
    isCurrent,
  });
  const use = isCurrent ? "Access tokens are now signed with it" : "It verifies tokens until it is revoked";
  context.stdout.write(`Imported ${kid}. ${use}.\n`);
}

async function revokeKey({ client, context }: KeyWork, kid: string): Promise<void> {
  const isRevoked = await revokeSigningKey(client, { kid, clock: context.clock });
  if (!isRevoked) throw new Error(`There is no key ${kid} to revoke. To replace the signing key, use: keys rotate`);
  context.stdout.write(`Revoked ${kid}.\n`);
}

function load({ client, masterKey, settings, context }: KeyWork) {
  return loadKeys(client, {
    masterKey,
    clock: context.clock,
    anonKeyOverride: settings.anonKey,
    serviceRoleKeyOverride: settings.serviceRoleKey,
  });
}

function parseImport(values: KeyOptions): KeyImport {
  const algorithm = TOKEN_ALGORITHMS.find((name) => name === values.algorithm);
  if (algorithm === undefined) throw new UsageError(`--algorithm must be one of ${TOKEN_ALGORITHMS.join(", ")}.`);
  const { file: path, kid = null, current: isCurrent = false } = values;
  if (path === undefined) throw new UsageError("--file must name the file with the key.");
  return { algorithm, path, kid, isCurrent };
}

function parseGrace(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError("--grace must be a whole number of seconds.");
  return Number(value);
}
