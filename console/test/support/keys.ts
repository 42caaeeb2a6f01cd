import type { Page } from "playwright-core";

/** Presses two keys of a sequence without a delay, because the page waits only a moment for the second. */
export async function pressSequence(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
