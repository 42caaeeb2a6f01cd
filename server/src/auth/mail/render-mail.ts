import { escapeHtml } from "../../html/index.ts";
import type { Mail } from "./mail.ts";
import { type MailText, textOf } from "./mail-text.ts";

interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function renderMail(mail: Mail): RenderedMail {
  const text = textOf(mail);
  return { subject: text.subject, text: renderText(mail, text), html: renderHtml(mail, text) };
}

function renderText(
  { values: { link, code } }: Mail,
  { subject, title = subject, paragraphs, button, closing }: MailText,
): string {
  const blocks = [
    title,
    ...paragraphs,
    button === null || link === undefined ? null : `${button}:\n${link}`,
    code === undefined ? null : `${introduceCode(link)} ${code}`,
    closing,
  ];
  return `${blocks.filter((block) => block !== null).join("\n\n")}\n`;
}

// Tables and inline styles, which all mail programs support.
function renderHtml(
  { values: { link, code } }: Mail,
  { subject, title = subject, paragraphs, button, closing }: MailText,
): string {
  const rows = [
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:28px;color:#111827">${escapeHtml(title)}</h1>`,
    ...paragraphs.map(renderParagraph),
    button === null || link === undefined
      ? ""
      : `<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 24px;border-radius:6px;background:#1d4ed8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(button)}</a></p>`,
    code === undefined
      ? ""
      : `${renderParagraph(introduceCode(link))}<p style="margin:0 0 24px;font-family:Consolas,Menlo,monospace;font-size:28px;letter-spacing:6px;color:#111827">${escapeHtml(code)}</p>`,
    `<p style="margin:24px 0 0;font-size:13px;line-height:20px;color:#6b7280">${escapeHtml(closing)}</p>`,
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f3f4f6;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border-radius:8px">
<tr><td style="padding:32px">
${rows.filter((row) => row !== "").join("\n")}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function renderParagraph(text: string): string {
  return `<p style="margin:0 0 16px;font-size:15px;line-height:24px;color:#374151">${escapeHtml(text)}</p>`;
}

function introduceCode(link: string | undefined): string {
  return link === undefined ? "Your code:" : "Or enter this code:";
}
