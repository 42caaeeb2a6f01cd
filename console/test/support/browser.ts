import { type Browser, chromium as driver } from "playwright-core";
import { unpackChromium } from "./chromium.ts";

/** The browser, or in extraArgs why there is none here. */
export type Launched = { readonly browser: Browser } | { readonly reason: string };

/** Launches the Chromium of an npm package, which supports only Linux, or that of `CHROMIUM_PATH`. */
export async function launchBrowser(extraArgs: readonly string[] = []): Promise<Launched> {
  const given = process.env["CHROMIUM_PATH"] ?? "";
  if (given === "" && process.platform !== "linux")
    return { reason: `the project has no browser for ${process.platform}; set CHROMIUM_PATH` };
  try {
    const executablePath = given === "" ? await unpackChromium() : given;
    // The package has further extraArgs for tiny machines; one of them puts all pages into one process, another ends the policy of origins.
    const args = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", ...extraArgs];
    return { browser: await driver.launch({ executablePath, args, headless: true }) };
  } catch (error) {
    return {
      reason: `the browser does not start: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : ""}`,
    };
  }
}
