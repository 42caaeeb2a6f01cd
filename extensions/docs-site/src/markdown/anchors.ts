/** Gives out the ids of one page. The frame of the page has two of its own, `_menu` and `_text`. */
export class Anchors {
  readonly #taken = new Set(["_menu", "_text"]);

  /** As common code hosts form them: lower case, no punctuation, hyphens for spaces, numbered repeats. */
  addHeading(text: string): string {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let anchor = slug;
    for (let repeat = 1; this.#taken.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    this.#taken.add(anchor);
    return anchor;
  }

  /** For a row of a table, by the name in its first cell; null when the page has that id already. */
  addRow(name: string): string | null {
    const anchor = name.toLowerCase();
    if (!/^[\w.-]+$/.test(anchor) || this.#taken.has(anchor)) return null;
    this.#taken.add(anchor);
    return anchor;
  }
}
