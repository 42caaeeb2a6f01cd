import type { Locator } from "playwright-core";
import { waitUntil } from "./swarms.ts";

/** Waits for the value of a field, which may be updated one frame later than the page. */
export async function waitForValue(field: Locator, value: string): Promise<void> {
  await waitUntil(async () => (await field.inputValue()) === value);
}
