import type { Page } from "playwright-core";

/** The bytes of all responses, headers included, that the page receives during `load` with an empty cache. */
export async function measureTransfer(page: Page, load: () => Promise<void>): Promise<number> {
  const network = await page.context().newCDPSession(page);
  let bytes = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await network.send("Network.enable");
  await network.send("Network.setCacheDisabled", { cacheDisabled: true });
  await load();
  await page.waitForLoadState("networkidle");
  await network.send("Network.setCacheDisabled", { cacheDisabled: false });
  await network.detach();
  return bytes;
}
