const TITLE = /\b(?:test|it)\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** What the tests of a file are called, as it is written in the source. */
export function findTestTitles(source: string): string[] {
  return [...source.matchAll(TITLE)].map(([, , title = ""]) => title.replaceAll('\\"', '"'));
}
