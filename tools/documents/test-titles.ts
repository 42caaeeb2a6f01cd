const TITLE = /\b(?:test|it)\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** The titles of the tests in a file, as written in the source. */
export function findTestTitles(source: string): string[] {
  return [...source.matchAll(TITLE)].map(([, , title = ""]) => title.replaceAll('\\"', '"'));
}

/** Whether a test has the title. Matches whole literals, so that a part of another title or a comment does not count. */
export function hasTest(source: string, title: string): boolean {
  return ['"', "'", "`"].some((quote) => [",", ":"].some((next) => source.includes(`${quote}${title}${quote}${next}`)));
}
