import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Launched } from "../../console/test/support/browser.ts";

export type Browser = Extract<Launched, { browser: unknown }>["browser"];
export type Page = Awaited<ReturnType<Browser["newPage"]>>;

export interface Camera {
  /** Stores a picture of the page. */
  take(page: Page, name: string): Promise<void>;
  /** Stores a picture of several pages, side by side. */
  takeTogether(pages: readonly Page[], name: string): Promise<void>;
}

/** The first quality whose result fits is used. */
const QUALITIES = [0.8, 0.7, 0.6, 0.5, 0.4];
const GAP = 24;
const MOST_BYTES = 60_000;

/** Stores pictures as WebP, encoded by the browser; `pngFolder` also keeps the PNG files. */
export async function openCamera(
  browser: Browser,
  { folder, pngFolder }: { readonly folder: string; readonly pngFolder: string | null },
): Promise<Camera> {
  const darkroom = await browser.newPage();
  const takeTogether = async (pages: readonly Page[], name: string): Promise<void> => {
    const shots: Buffer[] = [];
    for (const page of pages) {
      await settle(page);
      shots.push(await page.screenshot());
    }
    if (pngFolder !== null) {
      await mkdir(pngFolder, { recursive: true });
      for (const [at, shot] of shots.entries()) await writeFile(join(pngFolder, `${name}-${at + 1}.png`), shot);
    }
    const picture = await encode(darkroom, shots);
    if (picture === null) throw new Error(`${name} does not fit into ${MOST_BYTES} bytes`);
    await writeFile(join(folder, `console-${name}.webp`), picture);
    console.log(`console-${name}.webp  ${Math.ceil(picture.length / 1024)} KB`);
  };
  return { take: (page, name) => takeTogether([page], name), takeTogether };
}

/** Runs in the page, whose globals are not in the types of this workspace. */
const IS_LOADED = `document.querySelector('[aria-busy="true"], .animate-pulse') === null`;
const DRAWN = `document.fonts.ready.then(
  () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(null)))),
)`;
const ENCODE = `async ({ images, gap, quality }) => {
  const read = async (text) => createImageBitmap(await (await fetch("data:image/png;base64," + text)).blob());
  const bitmaps = await Promise.all(images.map(read));
  const width = bitmaps.reduce((sum, bitmap) => sum + bitmap.width + gap, -gap);
  const canvas = new OffscreenCanvas(width, Math.max(...bitmaps.map(({ height }) => height)));
  const pen = canvas.getContext("2d");
  let left = 0;
  for (const bitmap of bitmaps) {
    pen.drawImage(bitmap, left, 0);
    left += bitmap.width + gap;
  }
  const blob = await canvas.convertToBlob({ type: "image/webp", quality });
  return (await blob.bytes()).toBase64();
}`;

/** Waits until placeholders are gone, fonts are loaded and everything is drawn. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(IS_LOADED);
  await page.evaluate(DRAWN);
}

async function encode(darkroom: Page, shots: readonly Buffer[]): Promise<Buffer | null> {
  const images = shots.map((shot) => shot.toString("base64"));
  for (const quality of QUALITIES) {
    const text = await darkroom.evaluate<string>(`(${ENCODE})(${JSON.stringify({ images, gap: GAP, quality })})`);
    const picture = Buffer.from(text, "base64");
    if (picture.length <= MOST_BYTES) return picture;
  }
  return null;
}
