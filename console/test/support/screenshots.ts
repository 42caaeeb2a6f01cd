import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";

const FOLDER = process.env["SCREENSHOTS_DIR"] ?? join(tmpdir(), "swarmbase-screenshots");

/** Keeps what a person would see, to be looked at after the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  const theme = await page.evaluate(() => {
    const { theme: chosen } = document.documentElement.dataset;
    return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  });
  await page.screenshot({ path: join(FOLDER, `${name}-${width}-${theme}.png`) });
}
