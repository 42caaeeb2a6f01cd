/** A module of the server, or a library: its folders are compared with each other. */
const MODULE = /^(?:server\/src\/[^/]+|libraries\/[^/]+\/src)(?=\/)/;

interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * In every folder of a module, its files and sub-folders must form an import graph without cycles. Returns each cycle as the folder and
 * its children that import each other.
 */
export function findFolderCycles(imports: readonly Edge[]): { readonly folder: string; readonly children: string[] }[] {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const { from, to } of imports) {
    const module = MODULE.exec(from)?.[0];
    if (module === undefined || !to.startsWith(`${module}/`)) continue;
    const [source, target] = [from.split("/"), to.split("/")];
    let depth = 0;
    while (source[depth] === target[depth] && depth < source.length) depth += 1;
    const [child, imported] = [source[depth], target[depth]];
    if (child === undefined || imported === undefined) continue;
    const folder = source.slice(0, depth).join("/");
    const graph = graphs.get(folder) ?? new Map<string, Set<string>>();
    graphs.set(folder, graph.set(child, (graph.get(child) ?? new Set()).add(imported)));
  }
  return [...graphs].flatMap(([folder, graph]) => findCycles(graph).map((children) => ({ folder, children })));
}

/** Groups of nodes that reach each other. */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reached = new Map([...graph.keys()].map((node) => [node, reach(graph, node)]));
  const groups = new Map<string, string[]>();
  for (const [node, all] of reached) {
    const group = [...all].filter((other) => reached.get(other)?.has(node) === true).toSorted();
    if (group.length > 1 && group.includes(node)) groups.set(group.join(), group);
  }
  return [...groups.values()];
}

function reach(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...(graph.get(from) ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    waiting.push(...(graph.get(node) ?? []));
  }
  return found;
}
