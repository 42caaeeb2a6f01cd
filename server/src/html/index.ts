// In charge of: escaping text for HTML, and templates that do it.
// Not in charge of: pages and mails (the modules and extensions that render them).
export { escapeHtml } from "./escape-html.ts";
export { type Html, html, raw } from "./template.ts";
