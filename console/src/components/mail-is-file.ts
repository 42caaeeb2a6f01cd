/** Where a mail goes while the service has no mail server. */
export const MAIL_IS_FILE =
  "No mail server is set up, so the mail is a file in the folder “mail” of the data directory, which is .swarmbase/mail unless it was changed.";
