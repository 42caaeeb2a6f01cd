import type { Locator } from "playwright-core";
import { waitUntil } from "./rooms.ts";

/** What a field holds may be a frame behind what is seen elsewhere on the page. */
export async function waitForValue(field: Locator, value: string): Promise<void> {
  await waitUntil(async () => (await field.inputValue()) === value);
}
