import { posix, win32 } from "node:path";

export type TrustAction = "trust" | "untrust";

/** What the plan depends on, so that it can be made for any machine. */
export interface TrustEnvironment {
  readonly platform: NodeJS.Platform;
  readonly home: string | null;
  readonly isRoot: boolean;
  /** Contains the folders of the system: "/", except in tests. */
  readonly root: string;
  /** The path of an installed program, or null. */
  find(program: string): string | null;
  has(path: string): boolean;
  /** The names in a folder; none if it cannot be read. */
  list(folder: string): readonly string[];
}

export interface Authority {
  readonly file: string;
  readonly name: string;
  /** The SHA-1 fingerprint as hexadecimal digits: what macOS and Windows name a certificate by. */
  readonly sha1: string;
}

/** A program and its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]];

export interface TrustStep {
  readonly store: string;
  readonly commands: readonly CommandLine[];
  /** Why the commands are left to the person, or null. */
  readonly obstacle: string | null;
  /** Fails if the store has nothing to remove. */
  readonly probe: CommandLine | null;
}

/** Folders whose certificates a program copies into the store of a Linux system. Each distribution has one of them. */
const LINUX_STORES = [
  { folder: "etc/pki/ca-trust/source/anchors", program: "update-ca-trust", fresh: [] },
  { folder: "etc/ca-certificates/trust-source/anchors", program: "update-ca-trust", fresh: [] },
  { folder: "usr/local/share/ca-certificates", program: "update-ca-certificates", fresh: ["--fresh"] },
  { folder: "etc/pki/trust/anchors", program: "update-ca-certificates", fresh: ["--fresh"] },
] as const;
const NO_SYSTEM_TOOL = "this system has none of update-ca-certificates, update-ca-trust and trust";
const NO_CERTUTIL = "certutil is missing; it is in the package libnss3-tools (Debian) or nss-tools (Fedora, Alpine)";
/** Below a home directory, or below that of a snap or flatpak. Chromium has one database, Firefox one in each profile. */
const CHROMIUM_FOLDERS = [".pki/nssdb", ".local/share/pki/nssdb", "data/pki/nssdb"];
const FIREFOX_FOLDERS = [".mozilla/firefox", ".config/mozilla/firefox", "config/mozilla/firefox"];
const NSS_DATABASE = "cert9.db";

/**
 * The stores of this machine, and the commands that add the authority to them or remove it. On macOS and Windows, browsers use the
 * store of the system.
 */
export function planTrust(action: TrustAction, authority: Authority, machine: TrustEnvironment): readonly TrustStep[] {
  switch (machine.platform) {
    case "darwin":
      return planMac(action, authority, machine);
    case "win32":
      return planWindows(action, authority, machine);
    default:
      return [...planLinuxSystem(action, authority, machine), ...planBrowsers(action, authority, machine)];
  }
}

function planLinuxSystem(action: TrustAction, authority: Authority, machine: TrustEnvironment): TrustStep[] {
  const found = LINUX_STORES.find(
    ({ folder, program }) => machine.find(program) !== null && machine.has(posix.join(machine.root, folder)),
  );
  const hasTool = found !== undefined || machine.find("trust") !== null;
  const fileName = `${authority.name.toLowerCase().replaceAll(" ", "-")}.crt`;
  const target = found === undefined ? null : posix.join(machine.root, found.folder, fileName);
  if (action === "untrust" && (target === null ? !hasTool : !machine.has(target))) return [];
  const commands: CommandLine[] =
    found === undefined || target === null
      ? [["trust", "anchor", action === "trust" ? "--store" : "--remove", authority.file]]
      : action === "trust"
        ? [["install", "-m", "644", authority.file, target], [found.program]]
        : [
            ["rm", "-f", target],
            [found.program, ...found.fresh],
          ];
  const obstacle = hasTool ? (machine.isRoot ? null : "only root can change it") : NO_SYSTEM_TOOL;
  const shown = machine.isRoot ? commands : commands.map((command): CommandLine => ["sudo", ...command]);
  return [{ store: "the store of the system", commands: shown, obstacle, probe: null }];
}

function planBrowsers(action: TrustAction, { file, name }: Authority, machine: TrustEnvironment): TrustStep[] {
  const obstacle = machine.find("certutil") === null ? NO_CERTUTIL : null;
  return findNssDatabases(machine).map(({ browser, folder }) => {
    const database = ["-d", `sql:${folder}`, "-n", name];
    return {
      store: `${browser}, ${folder}`,
      commands: [
        action === "trust" ? ["certutil", "-A", ...database, "-t", "C,,", "-i", file] : ["certutil", "-D", ...database],
      ],
      obstacle,
      probe: ["certutil", "-L", ...database],
    };
  });
}

function findNssDatabases({
  home,
  has,
  list,
}: TrustEnvironment): { readonly browser: string; readonly folder: string }[] {
  if (home === null) return [];
  const below = (path: string): string[] => list(posix.join(home, path)).map((name) => posix.join(home, path, name));
  const homes = [
    home,
    ...below("snap").flatMap((snap) => [posix.join(snap, "current"), posix.join(snap, "common")]),
    ...below(".var/app"),
  ];
  return homes
    .flatMap((one) => [
      ...CHROMIUM_FOLDERS.map((path) => ({ browser: "Chrome and Chromium", folder: posix.join(one, path) })),
      ...FIREFOX_FOLDERS.flatMap((path) =>
        list(posix.join(one, path)).map((profile) => ({ browser: "Firefox", folder: posix.join(one, path, profile) })),
      ),
    ])
    .filter(({ folder }) => has(posix.join(folder, NSS_DATABASE)));
}

function planMac(action: TrustAction, { file, name, sha1 }: Authority, { home, find }: TrustEnvironment): TrustStep[] {
  if (home === null) return [];
  const keychain = posix.join(home, "Library/Keychains/login.keychain-db");
  const command: CommandLine =
    action === "trust"
      ? ["security", "add-trusted-cert", "-r", "trustRoot", "-k", keychain, file]
      : ["security", "delete-certificate", "-Z", sha1, "-t", keychain];
  const obstacle = find("security") === null ? "the program security is missing" : null;
  const probe: CommandLine = ["security", "find-certificate", "-c", name, keychain];
  return [{ store: "your keychain, which browsers use too", commands: [command], obstacle, probe }];
}

function planWindows(action: TrustAction, { file, sha1 }: Authority, { find }: TrustEnvironment): TrustStep[] {
  const command: CommandLine =
    action === "trust"
      ? ["certutil", "-user", "-addstore", "Root", win32.normalize(file)]
      : ["certutil", "-user", "-delstore", "Root", sha1];
  return [
    {
      store: "your certificate store, which browsers use too",
      commands: [command],
      obstacle: find("certutil") === null ? "the program certutil is missing" : null,
      probe: ["certutil", "-user", "-store", "Root", sha1],
    },
  ];
}
