import type { Command } from "./command.ts";

const versionCommand: Command = {
  name: "version",
  summary: "print the version",
  help: "Prints the versions of Swarmbase and of Node.js.",
  run: async ({ stdout, version }) => {
    stdout.write(`swarmbase ${version} (node ${process.versions.node})\n`);
    return 0;
  },
};

/** In the order of the help. Each command is loaded when it is needed, because loading takes longer than most commands run. */
const LOADERS = {
  serve: async () => (await import("./serve-command.ts")).serveCommand,
  demo: async () => (await import("./demo-command.ts")).demoCommand,
  migrate: async () => (await import("./migrate.ts")).migrateCommand,
  keys: async () => (await import("./keys-command.ts")).keysCommand,
  provider: async () => (await import("./provider-command.ts")).providerCommand,
  certificate: async () => (await import("./certificate-command.ts")).certificateCommand,
  backup: async () => (await import("./backup-command.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  resume: async () => (await import("./resume-command.ts")).resumeCommand,
  upgrade: async () => (await import("./upgrade-command.ts")).upgradeCommand,
  config: async () => (await import("./config-command.ts")).configCommand,
  doctor: async () => (await import("./doctor-command.ts")).doctorCommand,
  "remove-data": async () => (await import("./remove-data-command.ts")).removeDataCommand,
  psql: async () => (await import("./psql-command.ts")).psqlCommand,
  version: async () => versionCommand,
} satisfies Readonly<Record<string, () => Promise<Command>>>;

/** Commands to which extensions can add modes, each with options of its own. */
const WITH_MODES: readonly string[] = ["backup", "restore"] satisfies readonly (keyof typeof LOADERS)[];

export function takesModes(name: string): boolean {
  return WITH_MODES.includes(name);
}

export function isCoreCommand(name: string): name is keyof typeof LOADERS {
  return Object.hasOwn(LOADERS, name);
}

/** Returns null when the core has no command of this name. */
export async function loadCommand(name: string): Promise<Command | null> {
  return isCoreCommand(name) ? LOADERS[name]() : null;
}

export async function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}
