/** What only the author of a reply sees, if the reaction doesn't say enough. */
import { maskedNotice } from 'base/secrets/mask-secrets';
import { failureSentence } from '../text/failure.ts';

/** ✅: the run has the reply. One that starts a run is marked like a mention. */
export const sentReaction = 'white_check_mark';

export const repliesPerMinute = 30;

export const tooManyReplies = `⚠️ Only ${repliesPerMinute} replies a minute in one thread go to a run. Yours wasn't sent. Wait a minute and send it again.`;

export const filesNotSent =
  "⚠️ A run that's still active gets only text, so files in replies aren't sent to it.";

export const notSent = (code: string, connectionId: string): string =>
  `⚠️ ${failureSentence(code, connectionId)} The run may not have received your reply. Reply again to resend it.`;

export const notHandled = "⚠️ Your reply couldn't be sent to the run. Reply again to resend it.";

export const sentMasked = (count: number): string => `Your reply was sent.${maskedNotice(count)}`;
