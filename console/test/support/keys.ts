import type { Page } from "playwright-core";

/** Two keys that mean something together, sent at once: the page waits only a moment for the second. */
export async function pressTwo(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
