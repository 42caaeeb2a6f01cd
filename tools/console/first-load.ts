/** Vite's manifest: the output file of each source, and the files that it imports. */
interface ManifestRow {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

export type Manifest = Readonly<Record<string, ManifestRow>>;

const PAGE = "index.html";

/** The files that a browser loads to show a page, including the shell around it. */
export function listFirstLoad(manifest: Manifest, sources: readonly string[]): Set<string> {
  const files = new Set<string>([PAGE]);
  const seen = new Set<string>();
  const visit = (source: string): void => {
    if (seen.has(source)) return;
    seen.add(source);
    const row = manifest[source];
    if (row === undefined) throw new Error(`the build has no ${source}`);
    files.add(row.file);
    for (const file of row.css ?? []) files.add(file);
    for (const next of row.imports ?? []) visit(next);
  };
  for (const source of [PAGE, ...sources]) visit(source);
  return files;
}
