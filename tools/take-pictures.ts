// Takes the pictures docs/pictures/console-*.webp on a temporary instance. A folder as argument also gets them as PNG.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { launchBrowser } from "../console/test/support/browser.ts";
import { type Instance, startInstance } from "../console/test/support/instance.ts";
import { signUp } from "../console/test/support/people.ts";
import { type Browser, openCamera, type Page } from "./pictures/camera.ts";
import { type Model, startModel } from "./pictures/model.ts";
import { openOffice } from "./pictures/office.ts";
import { describeProviders } from "./pictures/providers.ts";
import { takeNarrow, takePages } from "./pictures/pages.ts";
import { findSpeaker, GRACE, SCRIPT } from "./pictures/story.ts";
import { fillWorkspace } from "./pictures/workspace.ts";

const FOLDER = resolve(import.meta.dirname, "../docs/pictures");
const WIDE = { viewport: { width: 1440, height: 900 }, colorScheme: "light" } as const;
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true } as const;
/** One retry at once, the next one after the pictures are taken. */
const RETRIES = "0,1,1800,7200";
const ACTION_MS = 15_000;

// Otherwise the instance that it names would be filled with this data.
delete process.env["CONSOLE_CREDENTIALS"];
const pngFolder = process.argv[2] ?? null;
const launched = await launchBrowser();
if ("reason" in launched) {
  console.error(`no pictures: ${launched.reason}`);
  process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-pictures-"));
  const model = await startModel(SCRIPT, findSpeaker);
  try {
    const providersFile = join(folder, "providers.json");
    await writeFile(providersFile, JSON.stringify(describeProviders(model.url)));
    const instance = await startInstance({ PROVIDERS_FILE: providersFile, WEBHOOK_RETRY_SCHEDULE: RETRIES });
    try {
      await takePictures(launched.browser, instance, model);
    } finally {
      await instance.stop();
    }
  } finally {
    await launched.browser.close();
    model.close();
    await rm(folder, { recursive: true, force: true });
  }
}
// Open sockets of the clients would keep the process alive.
process.exit();

async function takePictures(browser: Browser, instance: Instance, model: Model): Promise<void> {
  const authority = await readFile(join(instance.dataDir, "tls", "ca-cert.pem"), "utf8");
  setDefaultCACertificates([...getCACertificates(), authority]);
  const camera = await openCamera(browser, { folder: FOLDER, pngFolder });
  const office = await openOffice(instance.dataDir);
  try {
    const page = await openPage(browser, instance, WIDE);
    await page.goto("/sign-up");
    await page.getByRole("button", { name: "Create account" }).waitFor();
    await camera.take(page, "sign-up");
    await signUp(page, GRACE);
    await page.getByRole("button", { name: "Set it up for me" }).waitFor();
    await camera.take(page, "home");
    const stage = { page, camera, model, instance, workspace: await fillWorkspace(instance, office) };
    await takePages(stage);
    await takeNarrow([await openPage(browser, instance, NARROW), await openPage(browser, instance, NARROW)], stage);
  } finally {
    office.close();
  }
}

async function openPage(browser: Browser, { url }: Instance, format: typeof WIDE | typeof NARROW): Promise<Page> {
  const context = await browser.newContext({
    ...format,
    baseURL: url,
    // The authority of the instance is created only for it, so no browser trusts it.
    ignoreHTTPSErrors: true,
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  context.setDefaultTimeout(ACTION_MS);
  return context.newPage();
}
