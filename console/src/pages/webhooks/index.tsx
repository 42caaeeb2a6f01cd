import { lazy, Suspense } from "react";
import { Route, Routes } from "react-router";
import { isPortal } from "../../data/portal.ts";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { WebhookList } from "./list/webhook-list.tsx";

const NewWebhook = lazy(async () => ({ default: (await import("./form/new-webhook.tsx")).NewWebhook }));
const EditWebhook = lazy(async () => ({ default: (await import("./form/edit-webhook.tsx")).EditWebhook }));
const WebhookPage = lazy(async () => ({ default: (await import("./page/webhook-page.tsx")).WebhookPage }));
const DeliveryPage = lazy(async () => ({ default: (await import("./delivery/delivery-page.tsx")).DeliveryPage }));
const EventCatalogue = lazy(async () => ({
  default: (await import("./catalogue/event-catalogue.tsx")).EventCatalogue,
}));
const FeedList = lazy(async () => ({ default: (await import("./feeds/feed-list.tsx")).FeedList }));
const NewFeed = lazy(async () => ({ default: (await import("./feeds/new-feed.tsx")).NewFeed }));
const EditFeed = lazy(async () => ({ default: (await import("./feeds/edit-feed.tsx")).EditFeed }));
const ReceiverTester = lazy(async () => ({
  default: (await import("./tester/receiver-tester.tsx")).ReceiverTester,
}));

export function WebhooksPage() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Routes>
        <Route index element={<WebhookList />} />
        <Route path="new" element={<NewWebhook />} />
        <Route path="event-types" element={<EventCatalogue />} />
        {!isPortal() && (
          <>
            <Route path="feeds" element={<FeedList />} />
            <Route path="feeds/new" element={<NewFeed />} />
            <Route path="feeds/:feedId" element={<EditFeed />} />
            <Route path="tester" element={<ReceiverTester />} />
          </>
        )}
        <Route path=":webhookId" element={<WebhookPage />} />
        <Route path=":webhookId/edit" element={<EditWebhook />} />
        <Route path=":webhookId/deliveries/:deliveryId" element={<DeliveryPage />} />
        <Route path="*" element={<NoSuchRow noun="webhook" />} />
      </Routes>
    </Suspense>
  );
}
