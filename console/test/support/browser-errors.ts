import assert from "node:assert/strict";
import type { Page } from "playwright-core";

export interface BrowserErrors {
  assertNone(): void;
}

/** The browser logs this when a page is closed while its socket connects. */
const LEFT = /WebSocket is closed before the connection is established/;

/** Collects errors, exceptions and violations of the Content-Security-Policy. */
export async function collectBrowserErrors(page: Page, expected: readonly RegExp[]): Promise<BrowserErrors> {
  const found: string[] = [];
  const note = (text: string): void => {
    if (![...expected, LEFT].some((pattern) => pattern.test(text))) found.push(text);
  };
  page.on("pageerror", (error) => note(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    note(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  await page.exposeFunction("noteViolation", (violation: string) => note(`policy: ${violation}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { noteViolation } = window as unknown as { noteViolation(text: string): void };
      noteViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  return { assertNone: () => assert.deepEqual(found, [], "the browser reported errors") };
}
