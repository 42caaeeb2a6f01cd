import { AppError } from "../errors/index.ts";

/** Adds the index of the request to an error of its work. */
export function inOperation<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw nameOperation(error, index);
  }
}

/** Adds the index of the failed request to an error. */
export function nameOperation(error: unknown, operation: number): unknown {
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, error.message, { ...error.extra, members: { ...error.extra.members, operation } });
}

export function keepAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
