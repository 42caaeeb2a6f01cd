import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { appendHistory } from "../report/history.ts";
import { type PartResult, renderPage, type Results } from "../report/page.ts";
import { parseFigures } from "../report/parse-figures.ts";
import { renderPlot } from "../report/plot.ts";

/**
 * Writes the page and its drawings under the date, and again under a stable name: `latest`, or `quick` for a quick run. Parts that
 * the run did not measure keep their last results. A full run writes the line of its day into the history.
 */
export async function writeResults(folder: string, run: Results, order: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const kept = run.isQuick ? [] : await readKept(join(folder, "results.json"), run.parts);
  const parts = [...run.parts, ...kept].toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  const results = { ...run, parts };
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
  if (!results.isQuick) {
    const historyFile = join(folder, "history.md");
    const history = await readFile(historyFile, "utf8").catch(() => null);
    await writeFile(historyFile, appendHistory(history, results));
  }
  return join(folder, `${names.at(-1)}.md`);
}

async function readKept(file: string, measured: readonly PartResult[]): Promise<PartResult[]> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return [];
  const { parts } = parseFigures(text) as Results;
  return parts.filter(({ name }) => measured.every((part) => part.name !== name));
}
