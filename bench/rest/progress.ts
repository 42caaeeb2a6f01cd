/** One line on a terminal that is overwritten; elsewhere only the stages are printed. */
export interface Progress {
  stage(text: string): void;
  step(text: string): void;
  end(): void;
}

export function createProgress(stream: NodeJS.WriteStream): Progress {
  const startedAt = performance.now();
  let stage = "";
  const stamp = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`.padStart(6);
  const show = (text: string): void => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${text.slice(0, Math.max(20, stream.columns - 1))}`);
  };
  return {
    stage: (text) => {
      stage = text;
      if (stream.isTTY) show(`${stamp()}  ${text}`);
      else stream.write(`${stamp()}  ${text}\n`);
    },
    step: (text) => show(`${stamp()}  ${stage}: ${text}`),
    end: () => show(""),
  };
}
