import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

const FOLDER = process.env["SCREENSHOTS_DIR"] ?? "";

/** Saves a screenshot if `SCREENSHOTS_DIR` is set. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (FOLDER === "") return;
  await mkdir(FOLDER, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  const theme = await page.evaluate(() => {
    const { theme: chosen } = document.documentElement.dataset;
    return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  });
  await page.screenshot({ path: join(FOLDER, `${name}-${width}-${theme}.png`) });
}
