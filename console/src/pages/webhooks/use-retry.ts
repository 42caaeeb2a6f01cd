import { type RetriedDelivery, useRetryDelivery } from "../../data/deliveries.ts";
import { useToast } from "../../components/toast.tsx";

/** Retries the delivery now, and says how it ended. Another failed attempt is a valid outcome. */
export function useRetry(
  { id, status }: RetriedDelivery,
  onChanged: () => void,
): { readonly isBusy: boolean; run(): void } {
  const retry = useRetryDelivery();
  const toast = useToast();
  const run = async () => {
    const outcome = await retry.run({ id, status });
    onChanged();
    if (outcome?.isDelivered === true) toast({ text: "Delivered." });
    else toast({ text: outcome?.reason ?? "The delivery could not be retried.", tone: "bad" });
  };
  return { isBusy: retry.isBusy, run: () => void run() };
}
