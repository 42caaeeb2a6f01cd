import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { scanWithAxe } from "./axe.ts";
import { takeScreenshot } from "./screenshots.ts";
import { NARROW, WIDE } from "./browser-test.ts";

const VARIANTS = [
  { width: NARROW, height: 740, colorScheme: "dark" },
  { width: WIDE, height: 900, colorScheme: "light" },
] as const;

/** A select needs room for a word beside its arrow, and a field of a date and time for both. */
const LEAST_WIDTHS = { select: 100, "input[type=datetime-local]": 200 } as const;

function listSmallFields(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    (widths) =>
      Object.entries(widths).flatMap(([selector, least]) =>
        [...document.querySelectorAll(selector)]
          .filter((field) => field.checkVisibility() && field.clientWidth < least)
          .map((field) => `${field.getAttribute("aria-label") ?? selector}: ${field.clientWidth} px`),
      ),
    LEAST_WIDTHS,
  );
}

/**
 * Checks the current page in both widths and themes: its width, its accessibility, and a screenshot. Colours do
 * not depend on the width, nor accessible names on the theme, so two variants are enough.
 */
export async function checkAppearance(page: Page, name: string): Promise<void> {
  for (const { width, height, colorScheme } of VARIANTS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    // Waits for the next frame, so that the screenshot shows the new state.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await takeScreenshot(page, name);
    await scanWithAxe(page);
    const found = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(found <= width, `${name} is ${found} wide on a screen of ${width}`);
    assert.deepEqual(await listSmallFields(page), [], `${name} has fields that are too small for their values`);
  }
}
