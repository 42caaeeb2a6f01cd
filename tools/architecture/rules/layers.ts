import { findLayer, findModule, MODULE_LAYERS } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

/**
 * Imports go down the layers. Within a layer a module imports only types (they are erased) of another, and never in a cycle.
 * The top layer connects everything, so its modules import each other freely.
 */
export const checkLayers: Rule = ({ sources }) => {
  const faults: Fault[] = [];
  const imported = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const layer = findLayer(path);
    const module = findModule(path);
    for (const { target, line, isTypeOnly } of imports) {
      const targetLayer = target === null ? null : findLayer(target);
      if (target === null || targetLayer === null || layer === null) continue;
      const targetModule = findModule(target);
      if (module === targetModule) continue;
      const where = `${module ?? path} (layer ${layer}) imports ${targetModule ?? target} (layer ${targetLayer})`;
      if (targetLayer > layer) faults.push({ path, line, message: `${where}: imports go down only` });
      if (targetLayer !== layer || module === null || targetModule === null || layer === TOP_LAYER) continue;
      if (!isTypeOnly) faults.push({ path, line, message: `${where}: within a layer only types may be imported` });
      if (reaches(imported, targetModule, module))
        faults.push({ path, line, message: `${where}, which imports it in turn` });
      else imported.set(module, (imported.get(module) ?? new Set()).add(targetModule));
    }
  }
  return faults;
};

const TOP_LAYER = Math.max(...Object.values(MODULE_LAYERS));

function reaches(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  // An edge that would close a cycle is never added, so the recursion ends.
  return from === to || [...(graph.get(from) ?? [])].some((next) => reaches(graph, next, to));
}
