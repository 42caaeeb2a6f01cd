export const FEEDS = "/webhooks/feeds";

/** Of the pages below the list of feeds. */
export const FEED_CRUMBS = [
  { label: "Webhooks", to: "/webhooks" },
  { label: "Event feeds", to: FEEDS },
];
