/** Quotes an argument, so that a printed command line can be pasted unchanged. */
export function quoteForShell(word: string, platform: NodeJS.Platform = process.platform): string {
  // cmd.exe and PowerShell both know double quotes, which no Windows path contains.
  if (platform === "win32") return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
