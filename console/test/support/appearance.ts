import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { scanWithAxe } from "./axe.ts";
import { keepScreenshot } from "./screenshots.ts";
import { NARROW, WIDE } from "./stage.ts";

const LOOKS = [
  { width: NARROW, height: 740, colorScheme: "dark" },
  { width: WIDE, height: 900, colorScheme: "light" },
] as const;

/**
 * The page as it is now, in both widths and both themes: no wider than the screen, seen by axe, and kept as a picture. Colours do
 * not depend on the width nor names on the theme, so that two looks see all there is to see.
 */
export async function checkAppearance(page: Page, name: string): Promise<void> {
  for (const { width, height, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    // A picture that is taken at once may still show what was before.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await keepScreenshot(page, name);
    await scanWithAxe(page);
    const found = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(found <= width, `${name} is ${found} wide on a screen of ${width}`);
  }
}
