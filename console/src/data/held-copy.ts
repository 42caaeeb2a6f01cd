import { useQuery } from "@tanstack/react-query";
import { getStart, readStart } from "./client.ts";

const REFRESH_MS = 10_000;

/** Whether this is a restored copy in which deliveries, agent runs and mails are held. Notices when its operator lets them go. */
export function useHeldCopy(): boolean {
  const { data } = useQuery({
    queryKey: ["held copy"],
    queryFn: async () => (await readStart()).isHeldCopy,
    initialData: () => getStart().isHeldCopy,
    enabled: getStart().isHeldCopy,
    staleTime: REFRESH_MS,
    refetchInterval: ({ state }) => (state.data === true ? REFRESH_MS : false),
  });
  return data;
}
