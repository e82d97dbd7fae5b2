import { readTypedText } from './typed-text.ts';

/** A sentence in mrkdwn for an error of a form, which has no markup and would show the ids of people. */
export const plainWords = (mrkdwn: string): string =>
  readTypedText(
    mrkdwn
      .replace(/^<@[^>]*>/, 'Someone')
      .replace(/<@[^>]*>/g, 'someone')
      .replace(/<!subteam[^>]*>/g, 'a user group'),
  );
