import type { Locator, Page } from "playwright-core";

/** Presses two keys of a sequence without a delay, because the page waits only a moment for the second. */
export async function pressSequence(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}

/** Holds a finger on an element until a menu opens. */
export async function longPress(element: Locator): Promise<void> {
  await element.dispatchEvent("pointerdown", { pointerType: "touch" });
  await element.page().getByRole("menu").waitFor();
  await element.dispatchEvent("pointerup", { pointerType: "touch" });
}
