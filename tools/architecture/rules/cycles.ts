import type { Fault, Rule } from "../rule.ts";

/** No file imports itself through others, types included. */
export const checkCycles: Rule = ({ sources }) => {
  const targets = new Map(
    sources.map(({ path, imports }) => [path, imports.map(({ target }) => target).filter((target) => target !== null)]),
  );
  const faults: Fault[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      const cycle = [...trail.slice(start), path].join(" → ");
      faults.push({ path, line: 1, message: `import cycle: ${cycle}` });
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return faults;
};
