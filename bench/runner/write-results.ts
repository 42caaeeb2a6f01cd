import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderPage, type Results } from "../report/page.ts";
import { renderPlot } from "../report/plot.ts";

/**
 * Writes the page and its drawings under the date, and again under a stable name: `latest`, or `quick` for a quick run.
 */
export async function writeResults(folder: string, results: Results): Promise<string> {
  await mkdir(folder, { recursive: true });
  const names = results.isQuick ? ["quick"] : [results.date, "latest"];
  for (const name of names) {
    await writeFile(join(folder, `${name}.md`), renderPage(results, name));
    await rm(join(folder, name), { recursive: true, force: true });
    await mkdir(join(folder, name), { recursive: true });
    for (const { tables } of results.parts)
      for (const { id, title, plot } of tables)
        await writeFile(join(folder, name, `${id}.svg`), renderPlot(title, plot));
  }
  const jsonName = results.isQuick ? "quick.json" : "results.json";
  await writeFile(join(folder, jsonName), `${JSON.stringify(results, null, 2)}\n`);
  return join(folder, `${names.at(-1)}.md`);
}
