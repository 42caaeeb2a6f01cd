import { formatFigure, type Table } from "../report/table.ts";
import type { ServerFigures } from "./compare-servers.ts";

const MIN_SHARE = 0.9;

/** The first row is that of one agent, the second that of as many agents as conversations. */
export function tabulateAskers(figures: readonly ServerFigures[], conversations: number): Table {
  const [shared, separate] = figures;
  const share = (shared?.runsPerSecond ?? Number.NaN) / (separate?.runsPerSecond ?? Number.NaN);
  return {
    id: "agents-askers",
    title: `Agents: ${conversations} concurrent conversations with one agent, and with an agent each`,
    head: ["", `runs/s, ${conversations} connections`, "CPU of a run, own + children", "p50, one at a time", "p99"],
    rows: figures.map((one) => [
      one.name,
      one.runsPerSecond.toFixed(1),
      `${one.cpuMs.toFixed(1)} + ${one.childCpuMs.toFixed(1)} ms`,
      `${one.p50Ms.toFixed(1)} ms`,
      `${one.p99Ms.toFixed(1)} ms`,
    ]),
    notes: [`One agent reaches ${share.toFixed(2)} of the runs/s of ${conversations} agents.`],
    goals: [
      {
        about: `share of the runs/s of ${conversations} agents that one agent reaches`,
        bound: "at least",
        limit: MIN_SHARE,
        value: share,
        unit: "",
      },
    ],
    plot: {
      caption: "runs a second",
      bars: figures.map(({ name, runsPerSecond }, at) => ({
        label: name,
        value: runsPerSecond,
        text: formatFigure(runsPerSecond),
        goal: at === 0 && separate !== undefined ? separate.runsPerSecond * MIN_SHARE : null,
        isOurs: true,
      })),
    },
  };
}
