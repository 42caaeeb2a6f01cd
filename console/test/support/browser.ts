import { type Browser, chromium as driver } from "playwright-core";
import { unpackChromium } from "./chromium.ts";

/** The browser, or in words why there is none here. */
export type Launched = { readonly browser: Browser } | { readonly reason: string };

/** A Chromium that comes as an npm package, so that none has to be installed. It runs on Linux alone. */
export async function launchBrowser(words: readonly string[] = []): Promise<Launched> {
  const given = process.env["CHROMIUM_PATH"] ?? "";
  if (given === "" && process.platform !== "linux")
    return { reason: `no browser comes with the project for ${process.platform}; name one with CHROMIUM_PATH` };
  try {
    const executablePath = given === "" ? await unpackChromium() : given;
    // The package has further words for tiny machines; one of them puts all pages into one process, another ends the policy of origins.
    const args = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", ...words];
    return { browser: await driver.launch({ executablePath, args, headless: true }) };
  } catch (error) {
    return {
      reason: `the browser does not start here: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : ""}`,
    };
  }
}
