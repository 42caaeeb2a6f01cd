/** Explains where mails are while no mail server is configured. */
export const MAIL_IS_FILE =
  "No mail server is configured, so the mail is written to a file in the folder “mail” of the data directory (.swarmbase/mail by default).";
