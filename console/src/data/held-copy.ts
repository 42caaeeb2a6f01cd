import { useQuery } from "@tanstack/react-query";
import { getConfig, loadConfig } from "./client.ts";

const REFRESH_MS = 10_000;

/** Whether this is a restored copy in which deliveries, agent runs and mails are held. Polls until the operator resumes it. */
export function useHeldCopy(): boolean {
  const { data } = useQuery({
    queryKey: ["held copy"],
    queryFn: async () => (await loadConfig()).isHeldCopy,
    initialData: () => getConfig().isHeldCopy,
    enabled: getConfig().isHeldCopy,
    staleTime: REFRESH_MS,
    refetchInterval: ({ state }) => (state.data === true ? REFRESH_MS : false),
  });
  return data;
}
