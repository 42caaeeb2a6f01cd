import assert from "node:assert/strict";
import type { Page } from "playwright-core";

export interface Troubles {
  assertNone(): void;
}

/** What a browser says of a page that is left while it still connects, which a person who is quick does too. */
const LEFT = /WebSocket is closed before the connection is established/;

/** Collects what a careful person would see in the developer tools: errors, exceptions, violations of the policy. */
export async function watchTroubles(page: Page, expected: readonly RegExp[]): Promise<Troubles> {
  const found: string[] = [];
  const note = (trouble: string): void => {
    if (![...expected, LEFT].some((pattern) => pattern.test(trouble))) found.push(trouble);
  };
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") note(`${message.type()}: ${message.text()}`);
  });
  await page.exposeFunction("noteViolation", (violation: string) => note(`policy: ${violation}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { noteViolation } = window as unknown as { noteViolation(text: string): void };
      noteViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  return { assertNone: () => assert.deepEqual(found, [], "the browser has something to say") };
}
