// In charge of: escaping text for HTML.
// Not in charge of: pages and mails (the modules that render them).
export { escapeHtml } from "./escape-html.ts";
