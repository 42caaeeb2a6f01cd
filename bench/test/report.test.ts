import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PartResult, renderPage } from "../report/page.ts";
import { renderPlot } from "../report/plot.ts";
import { type Bar, formatFigure, type Goal, isMet, renderTable, type Table } from "../report/table.ts";

const bar = (label: string, value: number, goal: number | null = null): Bar => ({
  label,
  value,
  text: formatFigure(value),
  goal,
  isOurs: true,
});
const goal = (about: string, bound: Goal["bound"], limit: number, value: number): Goal => ({
  about,
  bound,
  limit,
  value,
  unit: " ms",
});
const TABLE: Table = {
  id: "sample",
  title: "Sample",
  head: ["", "p99"],
  rows: [["one | two", "7 ms"]],
  notes: ["A note."],
  goals: [goal("first", "at most", 50, 7), goal("second", "at least", 2, 0.5), goal("third", "at most", 9, Number.NaN)],
  plot: { caption: "ms", bars: [bar("one", 7, 50)] },
};

function lengthsOf(svg: string): number[] {
  return Array.from(svg.matchAll(/class="(?:ours|other)" x="\d+" y="\d+" width="([\d.]+)"/g), ([, width]) =>
    Number(width),
  );
}

describe("renderTable", () => {
  it("counts met goals and lists missed ones, including those without a measurement", () => {
    assert.deepEqual(TABLE.goals.map(isMet), [true, false, false]);
    const text = renderTable(TABLE);
    assert.match(text, /^\| {2}\| p99 \|\n\|---\|---:\|\n\| one \\\| two \| 7 ms \|$/m);
    assert.match(text, /Goals: 1 of 3 met\./);
    assert.match(text, /missed: second is 0\.5 ms, the goal is at least 2 ms/);
    assert.match(text, /missed: third is – ms/);
    assert.doesNotMatch(text, /missed: first/);
    assert.match(text, /A note\.$/);
  });
});

describe("renderPlot", () => {
  it("draws bars in proportion to their values, a mark for each goal, and escaped text", () => {
    const svg = renderPlot('<Title & "more">', { caption: "ms", bars: [bar("a <b>", 10, 20), bar("c", 40)] });
    const [short = 0, long = 0] = lengthsOf(svg);
    assert.ok(Math.abs(long / short - 4) < 0.01, `${short} ${long}`);
    assert.equal(svg.match(/<line class="goal"/g)?.length, 1);
    const x = Number(/<line class="goal" x1="([\d.]+)"/.exec(svg)?.[1]);
    assert.ok(Math.abs(x - (300 + 2 * short)) < 0.2, "the goal stands where a bar of its size would end");
    assert.match(svg, /&lt;Title &amp; &quot;more&quot;&gt;/);
    assert.doesNotMatch(svg.replaceAll(/<\/?(?:svg|title|desc|style|rect|text|tspan|line)\b[^>]*>/g, ""), /[<>]/);
    assert.match(svg, /prefers-color-scheme: dark/);
  });

  it("uses a logarithmic scale for a wide range, and draws no bar for NaN", () => {
    const svg = renderPlot("Far", { caption: "µs", bars: [bar("a", 1), bar("b", 10_000), bar("c", Number.NaN)] });
    const [first = 0, second = 0, none] = lengthsOf(svg);
    assert.ok(first > 10 && second > first && second < 40 * first);
    assert.equal(none, 0);
    assert.match(svg, /scale of powers/);
    assert.deepEqual(lengthsOf(renderPlot("Nothing", { caption: "", bars: [bar("a", 0)] })), [0]);
  });
});

describe("renderPage", () => {
  const part: PartResult = {
    name: "one",
    about: "One.",
    date: "2026-11-15",
    outcome: "measured",
    reason: "",
    seconds: 61,
    tables: [TABLE],
    words: "",
  };
  const failed: PartResult = { ...part, name: "two", outcome: "failed", reason: "it broke", tables: [] };

  it("shows the error of a failed part in its row, and the other parts with their drawings", () => {
    const results = {
      date: "2026-11-15",
      isQuick: false,
      machine: { cores: "2" },
      versions: {},
      parts: [part, failed],
    };
    const page = renderPage(results, "latest");
    assert.match(page, /\| one \| 2026-11-15 \| measured \| 1:01 \| 1 of 3 \|/);
    assert.match(page, /\| two \| 2026-11-15 \| failed: it broke \| 1:01 \| none set \|/);
    assert.match(page, /^1 of 3 goals are met/m);
    assert.doesNotMatch(page, /npm run bench -- one/);
    const told = { ...part, tables: [{ ...TABLE, headline: "One core serves 5 a second" }] };
    const lines = renderPage({ ...results, parts: [told] }, "latest")
      .split("\n")
      .slice(0, 10);
    assert.ok(lines.includes("- One core serves 5 a second (`npm run bench -- one`)"), lines.join("\n"));
    assert.match(page, /!\[Sample\]\(latest\/sample\.svg\)/);
    assert.match(page, /\| cores \| 2 \|/);
    assert.doesNotMatch(page, /quick run/);
    assert.doesNotMatch(page, /The cost of an operation|another day/);
    assert.match(renderPage({ ...results, date: "2026-11-17" }, "latest"), /those of 2026-11-17; .* another day/);
    assert.match(renderPage({ ...results, isQuick: true }, "quick"), /A quick run/);
  });

  it("lists all costs in one table, with the reason of those that miss their goal", () => {
    const costs = [
      { ...goal("a read", "at most", 9, 7), isCost: true, reason: "not shown" },
      { ...goal("a write", "at most", 1.35, 2.125), isCost: true, reason: "two statements" },
    ];
    const parts = [{ ...part, tables: [{ ...TABLE, goals: [...TABLE.goals, ...costs] }] }];
    const page = renderPage({ date: "2026-11-15", isQuick: false, machine: {}, versions: {}, parts }, "latest");
    const table = /## The cost of an operation\n\n([^#]+)/.exec(page)?.[1] ?? "";
    assert.match(table, /\| a read \| 7 ms \| at most 9 ms \| met \|/);
    assert.match(table, /\| a write \| 2\.13 ms \| at most 1\.35 ms \| missed: two statements \|/);
    assert.doesNotMatch(table, /first|second|third/);
    assert.match(page, /- missed: a write is 2\.13 ms, the goal is at most 1\.35 ms: two statements/);
  });
});
