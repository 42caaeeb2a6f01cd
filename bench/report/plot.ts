import type { Bar, Plot } from "./table.ts";

const WIDTH = 760;
const LABELS = 300;
const VALUES = 90;
const ROW = 24;
const BAR = 14;
const TOP = 44;
const BOTTOM = 34;
const LABEL_LETTERS = 46;
const TITLE_LETTERS = 98;
/** Beyond this ratio of the longest to the shortest bar, a logarithmic scale is used. */
const MAX_LINEAR_RATIO = 60;

/** Both themes: an image on a page follows the reader's system, not the page. */
const STYLE = `
  .ground { fill: #ffffff } text { fill: #1f2933; font: 12px system-ui, sans-serif } .title { font-weight: 600; font-size: 13px }
  .quiet { fill: #5b6773 } .ours { fill: #2f6fde } .other { fill: #a9b4c0 } .goal { stroke: #b4430c; stroke-width: 2 } .key { fill: #b4430c }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #12171d } text { fill: #e6ebf0 } .quiet { fill: #9fabb8 } .ours { fill: #6ea3ff } .other { fill: #55616e }
    .goal { stroke: #ffab70 } .key { fill: #ffab70 }
  }`;

/** Renders horizontal bars as a self-contained SVG, with a mark for each goal. */
export function renderPlot(title: string, { caption, bars }: Plot): string {
  const scale = createScale(bars);
  const height = TOP + bars.length * ROW + BOTTOM;
  const hasGoals = bars.some(({ goal }) => goal !== null);
  const foot = [caption, ...(scale.isPowers ? ["scale of powers"] : [])].join("; ");
  const key = hasGoals ? `<tspan class="key">  ┃ goal</tspan>` : "";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title words">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="words">${escapeXml(bars.map(({ label, text }) => `${label}: ${text}`).join("; "))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>`,
    `<text class="title" x="16" y="26">${escapeXml(shorten(title, TITLE_LETTERS))}</text>`,
    ...bars.map((bar, at) => renderBar(bar, TOP + at * ROW, scale.place)),
    `<text class="quiet" x="16" y="${height - 12}">${escapeXml(foot)}${key}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

function renderBar({ label, value, text, goal, isOurs }: Bar, top: number, place: (value: number) => number): string {
  const length = place(value);
  const middle = top + BAR - 3;
  const parts = [
    `<text x="${LABELS - 10}" y="${middle}" text-anchor="end">${escapeXml(shorten(label, LABEL_LETTERS))}</text>`,
    `<rect class="${isOurs ? "ours" : "other"}" x="${LABELS}" y="${top}" width="${round(length)}" height="${BAR}" rx="2"/>`,
    // In a column without goal marks.
    `<text x="${WIDTH - 16}" y="${middle}" text-anchor="end">${escapeXml(text)}</text>`,
  ];
  if (goal !== null) {
    const x = round(LABELS + place(goal));
    parts.push(`<line class="goal" x1="${x}" x2="${x}" y1="${top - 3}" y2="${top + BAR + 3}"/>`);
  }
  return parts.join("\n");
}

interface Scale {
  readonly isPowers: boolean;
  place(value: number): number;
}

function createScale(bars: readonly Bar[]): Scale {
  const plotWidth = WIDTH - LABELS - VALUES;
  const shown = bars.flatMap(({ value, goal }) => (goal === null ? [value] : [value, goal]));
  const lengths = shown.filter((value) => Number.isFinite(value) && value > 0);
  const longest = Math.max(...lengths);
  const shortest = Math.min(...lengths);
  if (lengths.length === 0) return { isPowers: false, place: () => 0 };
  const isPowers = longest / shortest > MAX_LINEAR_RATIO;
  // The shortest bar stays visible.
  const from = Math.log(shortest / 2);
  const place = (value: number): number => {
    if (!Number.isFinite(value) || value <= 0) return 0;
    return isPowers
      ? (plotWidth * (Math.log(value) - from)) / (Math.log(longest) - from)
      : (plotWidth * value) / longest;
  };
  return { isPowers, place };
}

function shorten(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
