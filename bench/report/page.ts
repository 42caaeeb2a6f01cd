import type { Facts } from "./machine.ts";
import { isMet, renderCosts, renderGrid, renderTable, type Table } from "./table.ts";

export interface PartResult {
  readonly name: string;
  readonly about: string;
  /** The day of its measurement: a run of some parts keeps the results of the others. */
  readonly date: string;
  readonly outcome: "measured" | "failed" | "out of time" | "not run";
  /** The reason, if it was not measured completely. */
  readonly reason: string;
  readonly seconds: number;
  readonly tables: readonly Table[];
  /** The output of a part that writes no tables. */
  readonly words: string;
}

export interface Results {
  readonly date: string;
  readonly isQuick: boolean;
  readonly machine: Facts;
  readonly versions: Facts;
  readonly parts: readonly PartResult[];
}

/** Renders all tables of a run on one page. `plots` is the path of their drawings relative to the page. */
export function renderPage({ date, isQuick, machine, versions, parts }: Results, plots: string): string {
  const goals = parts.flatMap(({ tables }) => tables.flatMap((table) => table.goals));
  const met = goals.filter(isMet).length;
  const costs = goals.filter(({ isCost = false }) => isCost);
  const headlines = parts.flatMap(({ name, tables }) =>
    tables.flatMap(({ headline }) => (headline === undefined ? [] : [`- ${headline} (\`npm run bench -- ${name}\`)`])),
  );
  const sections = [
    `# Measurements of ${date}`,
    ...(headlines.length === 0 ? [] : [headlines.join("\n")]),
    isQuick
      ? "A quick run: rounds are short, and much is still being compiled in them. For seeing that it works, not for figures."
      : "Every figure that counts is a ratio of things that were measured in the same run, taking turns. How each is taken stands in [the README](../README.md).",
    `${met} of ${goals.length} goals are met; those that are not stand below the table they belong to.`,
    ...(parts.every((part) => part.date === date)
      ? []
      : [`Machine and versions are those of ${date}; the parts that were measured on another day keep their figures.`]),
    renderFacts("machine", machine),
    renderFacts("version", versions),
    renderGrid(
      ["part", "measured on", "outcome", "min:s", "goals met"],
      parts.map((part) => [
        part.name,
        part.date,
        describeOutcome(part),
        describeSeconds(part.seconds),
        describeGoals(part),
      ]),
    ),
    ...(costs.length === 0 ? [] : ["## The cost of an operation", renderCosts(costs)]),
    ...parts.flatMap((part) => renderPart(part, plots)),
  ];
  return `${sections.join("\n\n")}\n`;
}

function renderPart(part: PartResult, plots: string): string[] {
  const { name, about, outcome, tables, words } = part;
  return [
    `## ${name}`,
    about,
    ...(outcome === "measured" ? [] : [`**${describeOutcome(part)}**`]),
    ...(words === "" ? [] : [words]),
    ...tables.flatMap((table) => [
      `### ${table.title}`,
      renderTable(table),
      `![${table.title}](${plots}/${table.id}.svg)`,
    ]),
  ];
}

function renderFacts(what: string, facts: Facts): string {
  return renderGrid([what, ""], Object.entries(facts));
}

function describeOutcome({ outcome, reason }: PartResult): string {
  return reason === "" ? outcome : `${outcome}: ${reason}`;
}

function describeGoals({ tables }: PartResult): string {
  const goals = tables.flatMap((table) => table.goals);
  return goals.length === 0 ? "none set" : `${goals.filter(isMet).length} of ${goals.length}`;
}

/** Formats minutes and seconds. */
export function describeSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
