import type { Step } from "./plan.ts";

/** Each step after those that create what it needs, and otherwise in the given order: a tool may need a swarm, which is created later. */
export function orderSteps(steps: readonly Step[]): readonly Step[] {
  const uncreated = new Set(steps.flatMap(({ action, id }) => (action === "create" && id !== null ? [id] : [])));
  const ordered: Step[] = [];
  for (let left = steps; left.length > 0; ) {
    const waiting: Step[] = [];
    for (const step of left) {
      if (step.needs.some((id) => uncreated.has(id))) waiting.push(step);
      else {
        ordered.push(step);
        if (step.id !== null) uncreated.delete(step.id);
      }
    }
    if (waiting.length === left.length) throw new Error("steps need each other");
    left = waiting;
  }
  return ordered;
}
