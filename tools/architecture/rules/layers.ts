import { findLayer, findRoom, MODULE_LAYERS } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";

/**
 * Imports go down. Between rooms of one layer a type may be borrowed (it is erased, nothing runs), but not a value, and
 * never in a circle of rooms. The top layer is where everything is joined, so it is free within itself.
 */
export const checkLayers: Rule = ({ sources }) => {
  const faults: Fault[] = [];
  const borrowed = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const layer = findLayer(path);
    const room = findRoom(path);
    for (const { target, line, isTypeOnly } of imports) {
      const targetLayer = target === null ? null : findLayer(target);
      if (target === null || targetLayer === null || layer === null) continue;
      const targetRoom = findRoom(target);
      if (room === targetRoom) continue;
      const where = `${room ?? path} (layer ${layer}) imports ${targetRoom ?? target} (layer ${targetLayer})`;
      if (targetLayer > layer) faults.push({ path, line, message: `${where}: imports go down only` });
      if (targetLayer !== layer || room === null || targetRoom === null || layer === TOP_LAYER) continue;
      if (!isTypeOnly) faults.push({ path, line, message: `${where}: within a layer only types may be imported` });
      if (reaches(borrowed, targetRoom, room)) faults.push({ path, line, message: `${where}, which leads back to it` });
      else borrowed.set(room, (borrowed.get(room) ?? new Set()).add(targetRoom));
    }
  }
  return faults;
};

const TOP_LAYER = Math.max(...Object.values(MODULE_LAYERS));

function reaches(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  // An edge that would close a circle is never added, so that the walk ends.
  return from === to || [...(graph.get(from) ?? [])].some((next) => reaches(graph, next, to));
}
