import { posix } from "node:path";
import type { Fault, Rule } from "../rule.ts";

/** Modules and libraries, and the folders in them. Modules themselves are ordered by their layers. */
const ORDERED = /^(?:server\/src|libraries)\/[^/]+/;

/** One import of a child of a folder by another child. */
interface Edge {
  readonly path: string;
  readonly line: number;
  readonly target: string;
}

/** By the importing child, then by the imported one. */
type Graph = Map<string, Map<string, Edge>>;

/** The children of a folder, its files and sub-folders, do not import each other in a cycle, types included. */
export const checkFolderCycles: Rule = ({ sources }) => {
  const graphs = new Map<string, Graph>();
  for (const { path, imports } of sources) {
    for (const { target, line } of imports) {
      const folder = target === null ? "" : commonFolderOf(path, target);
      if (target === null || !ORDERED.test(folder)) continue;
      const [from, to] = [childOf(folder, path), childOf(folder, target)];
      const graph = graphs.get(folder) ?? new Map<string, Map<string, Edge>>();
      const edges = graph.get(from) ?? new Map<string, Edge>();
      if (from !== to && !edges.has(to)) edges.set(to, { path, line, target });
      graphs.set(folder, graph.set(from, edges));
    }
  }
  return [...graphs].flatMap(([folder, graph]) =>
    findCycles(graph).map((cycle) => describeCycle(folder, graph, cycle)),
  );
};

function commonFolderOf(path: string, target: string): string {
  let folder = posix.dirname(path);
  while (folder !== "." && !target.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}

function childOf(folder: string, path: string): string {
  return path.slice(folder.length + 1).split("/", 1)[0] ?? "";
}

/** Cycles of files alone are left to the rule for files. */
function findCycles(graph: Graph): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  const visit = (child: string, trail: readonly string[]): void => {
    const start = trail.indexOf(child);
    if (start !== -1) {
      const cycle = trail.slice(start);
      if (cycle.some((name) => !name.includes("."))) cycles.push(cycle);
      return;
    }
    if (done.has(child)) return;
    for (const next of graph.get(child)?.keys() ?? []) visit(next, [...trail, child]);
    done.add(child);
  };
  for (const child of graph.keys()) visit(child, []);
  return cycles;
}

function describeCycle(folder: string, graph: Graph, cycle: readonly string[]): Fault {
  const edges = cycle.flatMap((child, index) => graph.get(child)?.get(cycle.at(index + 1 - cycle.length) ?? "") ?? []);
  const imports = edges.map(({ path, target }) => `${path} imports ${target}`).join("; ");
  const names = [...cycle, cycle[0]].join(" → ");
  return {
    path: edges[0]?.path ?? folder,
    line: edges[0]?.line ?? 1,
    message: `cycle in ${folder}/: ${names}: ${imports}`,
  };
}
