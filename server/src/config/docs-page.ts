/** Names a page of the documentation in a message of the command line. Whoever installed the package has no clone with the file. */
export function docsPage(page: string): string {
  return `/docs/${page} of a running service`;
}
