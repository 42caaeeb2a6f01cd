import { AppError } from "../errors/index.ts";

export const TOO_LARGE_HINT = "Request fewer rows, columns or embedded lists at a time.";

export function responseTooLargeError(maxBytes: number, cause?: Error): AppError {
  return new AppError("RESPONSE_TOO_LARGE", `The response would be larger than ${maxBytes} bytes`, {
    hint: TOO_LARGE_HINT,
    ...(cause !== undefined && { cause }),
  });
}
