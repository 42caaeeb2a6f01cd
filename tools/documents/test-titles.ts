const TITLE = /\b(?:test|it)\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** The titles of the tests in a file, as written in the source. */
export function findTestTitles(source: string): string[] {
  return [...source.matchAll(TITLE)].map(([, , title = ""]) => title.replaceAll('\\"', '"'));
}
