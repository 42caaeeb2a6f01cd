import { readFile } from "node:fs/promises";
import { Writable } from "node:stream";
import {
  docsPage,
  findLikelyTypos,
  loadSettings,
  parseOptions,
  type Settings,
  SettingsError,
  UsageError,
} from "../config/index.ts";
import { derivePassword } from "../crypto/index.ts";
import {
  connectClient,
  type DatabaseClient,
  EMBEDDED_DATABASE,
  type ExtensionSchema,
  findCluster,
  findLastPort,
  findNeeds,
  isDataDirectoryLocked,
  locateBinaries,
  messageOf,
  openMasterKey,
  readClusterMajor,
  withClient,
} from "../db/index.ts";
import { selectWrappedKeys, type StoredKeys } from "../agents/index.ts";
import { protocolsOf } from "../extensions/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { createCommandObserver, withServer } from "./database-access.ts";
import { checkCertificate } from "./doctor/check-certificate.ts";
import { checkDataDirectory } from "./doctor/check-data-directory.ts";
import { checkDatabase } from "./doctor/check-database.ts";
import { checkExtensions, runExtensionChecks, schemasOf } from "./doctor/check-extensions.ts";
import { checkMail, checkPort, checkProviders, checkRedis } from "./doctor/check-surroundings.ts";
import { collectFindings, type Findings, renderFindings } from "./doctor/finding.ts";

const DEPLOYMENT_TIMEOUT_MS = 10_000;

/** Checks report by findings, not by log lines. */
function silence(context: CommandContext): CommandContext {
  return { ...context, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) };
}

export const doctorCommand: Command = {
  name: "doctor",
  summary: "find problems, and say how to solve them",
  help: `
Usage: swarmbase doctor [--json] [--url <https://…> [--ca <file>]]

Checks the settings, extensions, certificate, data directory, disk, port, database (version, rights, migrations, long
transactions, unused replication slots), clocks, master key, waiting webhook deliveries, and, where they are set, Redis,
the mail server and the providers. Changes nothing. The service may be running; a stopped embedded database is started for
the checks.

--url   checks a running service from outside instead, without its settings: certificate (chain, expiry, name), health,
        clock, address (PUBLIC_URL), rate limit, sign-up. With the access token of an operator's session in
        OPERATOR_ACCESS_TOKEN also mails, backups and all limits. ANON_KEY is needed where the console is disabled.
--ca    a private certificate authority to trust, in PEM format
--json  prints the findings as JSON: {"ok": boolean, "findings": [{"check", "level", "what", "why", "advice"}]}

The exit code is 0 when there is no fault (warnings do not count), otherwise 1.`,
  run: async (context) => {
    const options = { json: { type: "boolean" }, url: { type: "string" }, ca: { type: "string" } } as const;
    const { values } = parseOptions(context.args, options);
    if (values.ca !== undefined && values.url === undefined) throw new UsageError("--ca needs --url.");
    const findings = collectFindings();
    if (values.url === undefined) await examine(context, findings);
    else await examineDeployment(values.url, values.ca, context, findings);
    const isOk = findings.all.every(({ level }) => level !== "fault");
    const text = JSON.stringify({ ok: isOk, findings: findings.all }, null, 2);
    context.stdout.write(values.json === true ? `${text}\n` : renderFindings(findings.all));
    return isOk ? 0 : 1;
  },
};

async function examineDeployment(
  text: string,
  caFile: string | undefined,
  { env, clock, signal }: CommandContext,
  findings: Findings,
): Promise<void> {
  const url = /^https:\/\/[^\s?#@\\]+$/i.test(text) ? URL.parse(text) : null;
  if (url === null) throw new UsageError("--url must be an https:// address without user name, query or fragment.");
  const { checkDeployment } = await import("./doctor/deployment/check-deployment.ts");
  const options = {
    url: url.href.replace(/\/+$/, ""),
    ca: caFile === undefined ? [] : [await readFile(caFile, "utf8")],
    timeoutMs: DEPLOYMENT_TIMEOUT_MS,
    clock,
    signal,
    anonKey: env["ANON_KEY"] || null,
    operatorToken: env["OPERATOR_ACCESS_TOKEN"] || null,
  };
  await checkDeployment(options, findings);
}

async function examine(context: CommandContext, findings: Findings): Promise<void> {
  const { clock } = context;
  const settings = readSettings(context, findings);
  if (settings === null) return;
  const observer = createCommandObserver(settings, silence(context));
  // The checks below explain a folder that cannot be read.
  const isRunning = await isDataDirectoryLocked(settings.dataDir).catch(() => false);
  if (isRunning) findings.ok("service", "runs with this data directory");
  const extensions = await checkExtensions(settings, context.env, findings);
  let stored: StoredKeys = {};
  // A database without the schema has none, which another check explains.
  const onOpen = async (client: DatabaseClient) => void (stored = await selectWrappedKeys(client).catch(() => ({})));
  const checks: readonly [string, () => Promise<void>][] = [
    ["certificate", () => checkCertificate(settings, clock, findings)],
    ["directory", () => checkDataDirectory(settings, clock, findings)],
    ["port", async () => (isRunning ? undefined : checkPort(settings, findings))],
    [
      "database",
      () => examineDatabase(settings, { isRunning, extensions: schemasOf(extensions), onOpen }, context, findings),
    ],
    ["extensions", () => runExtensionChecks(extensions, settings, silence(context), findings)],
    ["redis", () => checkRedis(settings, findings)],
    ["mail", () => checkMail(settings, { observer, clock }, findings)],
    [
      "providers",
      async () => checkProviders(settings, { env: context.env, protocols: protocolsOf(extensions), stored }, findings),
    ],
  ];
  for (const [check, run] of checks) {
    context.signal.throwIfAborted();
    await run().catch((error: unknown) =>
      findings.fault(check, {
        what: `the check itself failed: ${messageOf(error)}`,
        why: "The checked part may be damaged in an unexpected way.",
        advice: "Check the named part; LOG_LEVEL=debug swarmbase serve logs more.",
      }),
    );
  }
}

function readSettings({ env }: CommandContext, findings: Findings): Settings | null {
  for (const { found, meant } of findLikelyTypos(env)) {
    findings.warn("settings", {
      what: `${found} is set, but is no setting of Swarmbase`,
      why: `It looks like ${meant}, which has its default value now.`,
      advice: `Rename it to ${meant}, or ignore this if it belongs to another program.`,
    });
  }
  try {
    const settings = loadSettings(env);
    findings.ok("settings", "valid and consistent");
    return settings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const fault of error.faults) {
      findings.fault("settings", {
        what: fault,
        why: "The service does not start with invalid settings; nothing else was checked.",
        advice: `See ${docsPage("reference/configuration")}.`,
      });
    }
    return null;
  }
}

interface DatabaseState {
  readonly isRunning: boolean;
  readonly extensions: readonly ExtensionSchema[];
  /** Called with the database, whose other checks may fail. */
  readonly onOpen: (client: DatabaseClient) => Promise<void>;
}

async function examineDatabase(
  settings: Settings,
  { onOpen, ...state }: DatabaseState,
  context: CommandContext,
  findings: Findings,
): Promise<void> {
  const { databaseUrl, databaseAdminUrl, masterKey } = settings;
  const options = { clock: context.clock, needs: findNeeds(settings), isEmbedded: databaseUrl === null, ...state };
  const check = (source: string | DatabaseClient, key: string): Promise<void> =>
    withClient(source, async (client) => {
      await onOpen(client);
      await checkDatabase(client, { ...options, masterKey: key }, findings);
    });
  if (databaseUrl !== null && masterKey !== null) {
    const client = await connectClient(databaseAdminUrl ?? databaseUrl).catch((error: unknown) => {
      findings.fault("database", {
        what: `the database of DATABASE_URL cannot be reached: ${messageOf(error)}`,
        why: "The service cannot run without it.",
        advice:
          "Check that it runs and accepts connections from this machine, and check the address, user and password in DATABASE_URL.",
      });
    });
    if (client !== undefined) await check(client, masterKey);
    return;
  }
  const cluster = await findCluster(settings.dataDir);
  if (cluster === null) return findings.ok("database", "none yet; the first start creates an embedded one");
  const found = await readClusterMajor(cluster.clusterDir);
  const { major } = await locateBinaries(process.platform, process.arch);
  if (found !== major) {
    return findings.fault("database", {
      what: `the database was created by PostgreSQL ${found ?? "?"}, and this release runs ${major}`,
      why: "PostgreSQL does not start on files of another major version.",
      advice: `swarmbase backup, then swarmbase upgrade (see ${docsPage("guides/operating")}).`,
    });
  }
  const embeddedKey = await openMasterKey(settings).catch((error: unknown) => {
    findings.fault("master key", {
      what: messageOf(error),
      why: "Only this key decrypts the secrets in the database.",
      advice: "Restore master.key from a backup, or set MASTER_KEY to its content.",
    });
  });
  if (embeddedKey === undefined) return;
  try {
    if (state.isRunning) {
      const port = (await findLastPort(settings.dataDir)) ?? 0;
      const password = encodeURIComponent(derivePassword(embeddedKey, "postgres"));
      await check(`postgresql://postgres:${password}@127.0.0.1:${port}/${EMBEDDED_DATABASE}`, embeddedKey);
    } else {
      await withServer(settings, silence(context), ({ server }) => check(server.adminUrl, embeddedKey));
    }
  } catch (error) {
    findings.fault("database", {
      what: `the embedded database cannot be used: ${messageOf(error)}`,
      why: "The service cannot run without it.",
      advice: "See postgres.log in DATA_DIR. If the files are damaged, restore a backup.",
    });
  }
}
