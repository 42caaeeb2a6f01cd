export interface Narrator {
  /** Prints the next step and the call that it makes. */
  step(title: string, call: string): void;
  line(text: string): void;
  /** Prints a part of a line. */
  piece(text: string): void;
}

export interface Paper {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const INDENT = "    ";
const BOLD = ["\u001b[1m", "\u001b[22m"] as const;
const DIM = ["\u001b[2m", "\u001b[22m"] as const;

/** Prints the same text on a terminal and in a pipe; only a terminal gets bold and dim text. */
export function createNarrator(paper: Paper, firstNumber: number): Narrator {
  const dress = ([on, off]: readonly [string, string], text: string) =>
    paper.isTTY === true ? `${on}${text}${off}` : text;
  let number = firstNumber;
  let isInLine = false;
  const endLine = (): void => {
    if (isInLine) paper.write("\n");
    isInLine = false;
  };
  return {
    step(title, call) {
      endLine();
      paper.write(`\n${dress(BOLD, `${String(number).padStart(2)}  ${title}`)}  ${dress(DIM, call)}\n`);
      number += 1;
    },
    line(text) {
      endLine();
      paper.write(`${INDENT}${text}\n`);
    },
    piece(text) {
      paper.write(isInLine ? text : `${INDENT}${text}`);
      isInLine = true;
    },
  };
}
