import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * Evaluated by the debugger, which bypasses the Content-Security-Policy. `page.evaluate` would pass the text as an argument,
 * which takes twice as long.
 */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  try {
    const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: SOURCE });
    assert.equal(exceptionDetails, undefined, "axe does not load");
  } finally {
    await session.detach();
  }
}

/** Returns the accessibility violations of the current page. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await loadAxe(page);
  const { violations, transitions } = await page.evaluate(async (rules) => {
    // The pages of tests have reduced motion. Intermediate colours of a transition would have other contrasts.
    const running = document.getAnimations().filter((change) => change instanceof CSSTransition);
    const { axe } = window as unknown as { axe: { run(where: Document, options: unknown): Promise<AxeResults> } };
    // Skips a rule that loads all styles again; another test covers it.
    const oriented = { "css-orientation-lock": { enabled: false } };
    const options = { runOnly: rules, rules: oriented, preload: false, resultTypes: ["violations"] };
    const { violations: found } = await axe.run(document, options);
    return { violations: found, transitions: running.length };
  }, RULES);
  assert.equal(transitions, 0, "the page has transitions in spite of reduced motion");
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary = "" }) =>
        `${id}: ${help}\n  ${target.join(" ")}\n  ${failureSummary.replaceAll("\n", "\n  ")}`,
    ),
  );
}

/** Fails with the accessibility violations of the current page. */
export async function scanWithAxe(page: Page): Promise<void> {
  const lines = await findViolations(page);
  assert.equal(lines.length, 0, `axe found on ${new URL(page.url()).pathname}:\n${lines.join("\n")}`);
}
