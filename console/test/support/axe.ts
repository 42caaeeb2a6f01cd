import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const SOURCE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Fails with the accessibility violations of the current page. */
export async function scanWithAxe(page: Page): Promise<void> {
  // Evaluated by the debugger, which bypasses the Content-Security-Policy. Once per document, because the script is long.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await readFile(SOURCE, "utf8"));
  const { violations } = await page.evaluate(async (rules) => {
    // Waits for transitions between themes, because intermediate colours have other contrasts.
    const isChanging = () =>
      document.getAnimations().some((change) => change instanceof CSSTransition && change.playState === "running");
    while (isChanging()) await new Promise((drawn) => requestAnimationFrame(drawn));
    const { axe } = window as unknown as { axe: { run(where: Document, options: unknown): Promise<AxeResults> } };
    // Skips a rule that loads all styles again; another test covers it.
    const oriented = { "css-orientation-lock": { enabled: false } };
    return axe.run(document, { runOnly: rules, rules: oriented, preload: false, resultTypes: ["violations"] });
  }, RULES);
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary = "" }) =>
        `${id}: ${help}\n  ${target.join(" ")}\n  ${failureSummary.replaceAll("\n", "\n  ")}`,
    ),
  );
  assert.equal(lines.length, 0, `axe found on ${new URL(page.url()).pathname}:\n${lines.join("\n")}`);
}
