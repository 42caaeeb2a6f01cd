import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Authority,
  type TrustEnvironment,
  planTrust,
  type TrustAction,
} from "../../src/commands/trust/plan-trust.ts";

const AUTHORITY: Authority = { file: "/d a/ä/ca-cert.pem", name: "Swarmbase local authority 1a2b3c4d", sha1: "AB12" };
const DEBIAN = "/usr/local/share/ca-certificates";
const STORED = "swarmbase-local-authority-1a2b3c4d.crt";

interface Given {
  readonly platform?: NodeJS.Platform;
  readonly home?: string | null;
  readonly isRoot?: boolean;
  readonly programs?: readonly string[];
  /** Files and folders that exist. */
  readonly paths?: readonly string[];
}

function describeMachine(given: Given): TrustEnvironment {
  const { platform = "linux", home = "/home/ada", isRoot = false, programs = [], paths = [] } = given;
  const all = new Set(
    paths.flatMap((path) => path.split("/").map((_, end, names) => names.slice(0, end + 1).join("/"))),
  );
  return {
    platform,
    home,
    isRoot,
    root: "/",
    find: (program) => (programs.includes(program) ? `/bin/${program}` : null),
    has: (path) => all.has(path),
    list: (folder) =>
      [...all]
        .filter((path) => path.startsWith(`${folder}/`) && path.lastIndexOf("/") === folder.length)
        .map((path) => path.slice(folder.length + 1)),
  };
}

function show(action: TrustAction, given: Given): string[] {
  return planTrust(action, AUTHORITY, describeMachine(given)).map(
    ({ commands, obstacle }) =>
      `${commands.map((command) => command.join("|")).join(" && ")}${obstacle === null ? "" : ` # ${obstacle}`}`,
  );
}

test("the plan names the store and the commands of each system", () => {
  const { file, name } = AUTHORITY;
  const debian: Given = { programs: ["update-ca-certificates"], paths: [DEBIAN] };
  const fedora: Given = {
    programs: ["update-ca-trust", "trust"],
    paths: ["/etc/pki/ca-trust/source/anchors"],
    isRoot: true,
  };
  const cases: [title: string, TrustAction, Given, string[]][] = [
    [
      "Debian",
      "trust",
      debian,
      [`sudo|install|-m|644|${file}|${DEBIAN}/${STORED} && sudo|update-ca-certificates # only root can change it`],
    ],
    [
      "Debian as root",
      "trust",
      { ...debian, isRoot: true },
      [`install|-m|644|${file}|${DEBIAN}/${STORED} && update-ca-certificates`],
    ],
    ["Debian without the authority", "untrust", debian, []],
    [
      "Debian with the authority",
      "untrust",
      { ...debian, isRoot: true, paths: [`${DEBIAN}/${STORED}`] },
      [`rm|-f|${DEBIAN}/${STORED} && update-ca-certificates|--fresh`],
    ],
    [
      "Fedora",
      "trust",
      fedora,
      [`install|-m|644|${file}|/etc/pki/ca-trust/source/anchors/${STORED} && update-ca-trust`],
    ],
    [
      "Arch",
      "trust",
      { ...fedora, paths: ["/etc/ca-certificates/trust-source/anchors"] },
      [`install|-m|644|${file}|/etc/ca-certificates/trust-source/anchors/${STORED} && update-ca-trust`],
    ],
    [
      "openSUSE",
      "trust",
      { ...debian, isRoot: true, paths: ["/etc/pki/trust/anchors"] },
      [`install|-m|644|${file}|/etc/pki/trust/anchors/${STORED} && update-ca-certificates`],
    ],
    ["only p11-kit", "trust", { programs: ["trust"] }, [`sudo|trust|anchor|--store|${file} # only root can change it`]],
    ["only p11-kit", "untrust", { programs: ["trust"], isRoot: true }, [`trust|anchor|--remove|${file}`]],
    [
      "no tool",
      "trust",
      {},
      [`sudo|trust|anchor|--store|${file} # this system has none of update-ca-certificates, update-ca-trust and trust`],
    ],
    ["no tool", "untrust", {}, []],
    [
      "macOS",
      "trust",
      { platform: "darwin", programs: ["security"] },
      [`security|add-trusted-cert|-r|trustRoot|-k|/home/ada/Library/Keychains/login.keychain-db|${file}`],
    ],
    [
      "macOS",
      "untrust",
      { platform: "darwin", programs: ["security"] },
      ["security|delete-certificate|-Z|AB12|-t|/home/ada/Library/Keychains/login.keychain-db"],
    ],
    ["macOS without a home directory", "trust", { platform: "darwin", home: null }, []],
    [
      "Windows",
      "trust",
      { platform: "win32", home: null, programs: ["certutil"] },
      ["certutil|-user|-addstore|Root|\\d a\\ä\\ca-cert.pem"],
    ],
    ["Windows", "untrust", { platform: "win32", programs: ["certutil"] }, ["certutil|-user|-delstore|Root|AB12"]],
    [
      "Windows without certutil",
      "untrust",
      { platform: "win32" },
      ["certutil|-user|-delstore|Root|AB12 # the program certutil is missing"],
    ],
  ];
  for (const [title, action, given, expected] of cases) assert.deepEqual(show(action, given), expected, title);
  const databases = [
    ".pki/nssdb",
    ".mozilla/firefox/a b.default",
    "snap/firefox/common/.mozilla/firefox/x",
    "snap/chromium/current/.pki/nssdb",
    ".var/app/org.mozilla.firefox/.mozilla/firefox/ü",
  ];
  const browsers: Given = {
    programs: ["certutil"],
    paths: [...databases.map((path) => `/home/ada/${path}/cert9.db`), "/home/ada/.mozilla/firefox/profiles.ini"],
  };
  const add = (path: string) => `certutil|-A|-d|sql:/home/ada/${path}|-n|${name}|-t|C,,|-i|${file}`;
  assert.deepEqual(show("trust", browsers).slice(1).toSorted(), databases.map(add).toSorted(), "browsers on Linux");
  const [, missing = ""] = show("trust", { ...browsers, programs: [] });
  assert.match(missing, /^certutil\|-A\|.* # certutil is missing; it is in the package libnss3-tools/);
  assert.deepEqual(
    show("untrust", browsers).toSorted(),
    databases.map((path) => `certutil|-D|-d|sql:/home/ada/${path}|-n|${name}`).toSorted(),
  );
  assert.equal(show("trust", { ...browsers, home: null }).length, 1);
});
