/** Runs the program that the first argument names. The program finds the other arguments where it would if it were started alone. */
export async function runNamed(
  script: string,
  programs: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const [name = ""] = process.argv.splice(2, 1);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) {
    console.error(`Usage: npm run ${script} -- ${Object.keys(programs).join("|")}`);
    process.exitCode = 2;
    return;
  }
  await program();
}
