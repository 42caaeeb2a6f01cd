/**
 * A function whose module is loaded with its first call, for handlers and runs: a start then loads only what describes the extension.
 * A module that could not be loaded is tried again by the next call.
 */
export function lazy<Args extends readonly unknown[], Result>(
  load: () => Promise<(...args: Args) => Result | Promise<Result>>,
): (...args: Args) => Promise<Result> {
  let loaded: ReturnType<typeof load> | null = null;
  return async (...args) => {
    loaded ??= load();
    const call = await loaded.catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return call(...args);
  };
}
