import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isObject, memberOf } from "../model/json.ts";
import { KINDS, type Kind } from "../model/kinds.ts";
import { hasTarget, TARGETS } from "../model/targets.ts";
import { swarmKeyOf } from "../model/swarm-tools.ts";
import { checkResource, type Resource } from "./check-resource.ts";
import { type FileFault, MAX_FILE_BYTES, parseYamlFile } from "./yaml-file.ts";

/** The folder has faults; the message lists all of them. */
export class FolderError extends Error {
  override readonly name = "FolderError";

  constructor(faults: readonly FileFault[]) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    super([`${count} in the files:`, ...faults.map((each) => `  ${renderFault(each)}`)].join("\n"));
  }
}

interface Folder {
  readonly resources: readonly Resource[];
  /** False when the folder, or every folder of a kind in it, is missing. */
  readonly exists: boolean;
}

/** `agents/ada.yaml:7 settings.temperature must be a number from 0 to 2`. */
function renderFault({ file, line, path, message }: FileFault): string {
  const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return `${file}:${line} ${place === "" ? "" : `${place.replace(/^\./, "")} `}${message}`;
}

/** Reads `<kind>/*.yaml` of the folder. Throws one `FolderError` with every fault of every file. */
export async function readFolder(folder: string): Promise<Folder> {
  const resources: Resource[] = [];
  const faults: FileFault[] = [];
  let exists = false;
  for (const kind of KINDS) {
    const names = await listFiles(join(folder, kind));
    exists ||= names !== null;
    for (const name of names ?? []) {
      const found = await readResource(folder, kind, `${kind}/${name}`);
      if (Array.isArray(found)) faults.push(...(found as readonly FileFault[]));
      else resources.push(found as Resource);
    }
  }
  faults.push(...findRepeatedKeys(resources), ...findUnknownKeys(resources, faults.length > 0));
  if (faults.length > 0) throw new FolderError(faults);
  return { resources, exists };
}

async function listFiles(folder: string): Promise<readonly string[] | null> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => /\.ya?ml$/.test(name) && !name.startsWith(".")).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function readResource(folder: string, kind: Kind, file: string): Promise<Resource | readonly FileFault[]> {
  const path = join(folder, file);
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES) return [{ file, line: 1, path: [], message: `has more than ${MAX_FILE_BYTES} bytes` }];
  const parsed = parseYamlFile(file, await readFile(path, "utf8"));
  return "document" in parsed ? checkResource(kind, parsed) : parsed;
}

function findRepeatedKeys(resources: readonly Resource[]): readonly FileFault[] {
  const groups = Map.groupBy(resources, ({ kind, key }) => `${kind}/${key}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map(({ key, source }) => ({
      file: source.file,
      line: source.lineOf(["key"]),
      path: ["key"],
      message: `"${key}" is already the key of ${first?.source.file ?? ""}`,
    })),
  );
}

/** Names of agents, tools and swarms that no file has. Not looked for while files are unreadable: they may have them. */
function findUnknownKeys(resources: readonly Resource[], isIncomplete: boolean): readonly FileFault[] {
  if (isIncomplete) return [];
  const keysOf = (kind: Kind): ReadonlySet<string> =>
    new Set(resources.filter((each) => each.kind === kind).map(({ key }) => key));
  const [tools, agents, swarms] = [keysOf("tools"), keysOf("agents"), keysOf("swarms")];
  return resources.flatMap(({ kind, given, source }) => {
    const fault = (path: readonly (string | number)[], message: string): FileFault => ({
      file: source.file,
      line: source.lineOf(path),
      path,
      message,
    });
    const swarm = kind === "tools" ? swarmKeyOf(given) : undefined;
    if (swarm !== undefined && !(typeof swarm === "string" && swarms.has(swarm)))
      return fault(["config", "swarm"], "is not the key of a file in swarms/");
    if (hasTarget(kind))
      return TARGETS.flatMap((target) => {
        const key = memberOf(given, target.name) ?? null;
        const isKnown = key === null || (typeof key === "string" && keysOf(target.kind).has(key));
        return isKnown ? [] : [fault([target.name], `is not the key of a file in ${target.kind}/`)];
      });
    if (kind === "agents") {
      const assigned = memberOf(given, "tools");
      return Object.keys(isObject(assigned) ? assigned : {})
        .filter((reference) => !reference.includes("/") && !tools.has(reference))
        .map((reference) => fault(["tools", reference], "is not the key of a file in tools/"));
    }
    if (kind !== "swarms") return [];
    const listed = memberOf(given, "agents");
    const entries = (Array.isArray(listed) ? listed : []).map((entry) => memberOf(entry, "agent"));
    const coordinator = memberOf(given, "coordinator") ?? null;
    return [
      ...entries.flatMap((agent, index) =>
        typeof agent === "string" && agents.has(agent)
          ? []
          : [fault(["agents", index, "agent"], "is not the key of a file in agents/")],
      ),
      ...(coordinator === null || entries.includes(coordinator)
        ? []
        : [fault(["coordinator"], "must be one of the agents of the swarm")]),
    ];
  });
}
