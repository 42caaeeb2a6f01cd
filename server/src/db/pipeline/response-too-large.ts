import { AppError } from "../../errors/index.ts";

export function responseTooLargeError(maxBytes: number, cause?: Error): AppError {
  return new AppError("RESPONSE_TOO_LARGE", `The response would be larger than ${maxBytes} bytes`, {
    hint: "Request fewer rows, columns or embedded lists at a time.",
    ...(cause !== undefined && { cause }),
  });
}
