import { callService } from "./call-service.ts";
import { Failure } from "./failure.ts";
import { useWrite, type Write } from "./write.ts";

/** Everything that belongs to the user, as a JSON file. */
export function useAccountExport(): Write<void, Blob> {
  return useWrite({
    tables: [],
    write: async (client) => {
      const response = await callService(client, "/account-export");
      try {
        return await response.blob();
      } catch (cause) {
        throw new Failure("The download was interrupted. Try again.", { cause });
      }
    },
  });
}
