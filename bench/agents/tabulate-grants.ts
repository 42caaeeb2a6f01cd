import { formatFigure, type Table } from "../report/table.ts";
import type { ServerFigures } from "./compare-servers.ts";

const MAX_SHARE = 1.05;

/** The first row is that of runs by the owner of the agents, the others those of runs by grants. */
export function tabulateGrants(figures: readonly ServerFigures[]): Table {
  const [own, ...granted] = figures.map((one) => ({ ...one, allCpuMs: one.cpuMs + one.childCpuMs }));
  return {
    id: "agents-grants",
    title: "Agents: runs by the owner of an agent, and by a grant",
    head: ["", "runs/s", "CPU of a run, own + children", "p50, one at a time", "p99"],
    rows: figures.map((one) => [
      one.name,
      one.runsPerSecond.toFixed(1),
      `${one.cpuMs.toFixed(2)} + ${one.childCpuMs.toFixed(2)} ms`,
      `${one.p50Ms.toFixed(1)} ms`,
      `${one.p99Ms.toFixed(1)} ms`,
    ]),
    notes: [],
    plot: {
      caption: "CPU of a run in milliseconds",
      bars: [own, ...granted].flatMap((one) =>
        one === undefined
          ? []
          : {
              label: one.name,
              value: one.allCpuMs,
              text: formatFigure(one.allCpuMs),
              goal: one === own || own === undefined ? null : own.allCpuMs * MAX_SHARE,
              isOurs: true,
            },
      ),
    },
    goals: granted.map(({ name, allCpuMs }) => ({
      about: `CPU of a run ${name}, relative to one by the owner`,
      bound: "at most",
      limit: MAX_SHARE,
      value: allCpuMs / (own?.allCpuMs ?? Number.NaN),
      unit: "",
    })),
  };
}
