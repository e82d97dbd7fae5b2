import { describe, expect, it } from 'vitest';
import { renderDigest } from '../../../src/slack/digest/digest-message.ts';
import { renderEndReply } from '../../../src/slack/run-message/notices/render-end-reply.ts';
import { renderTrouble } from '../../../src/slack/run-message/run-notes.ts';
import { requestRow, withReason } from '../../../src/slack/runs/showing/run-rows.ts';
import { aRequest } from '../../support/builders.ts';
import { textOf } from '../../support/product/product.ts';

const ofCap = '#backend has spent $50.00 of $50.00 this week. It resets on Monday at 00:00 (UTC).';
const general =
  'A spending cap is used up. Try again after it resets, or ask an admin to raise it.';

/** Returns all texts that say why a run wasn't started. */
function reasonsOf(message: string) {
  const problem = { code: 'budget_exceeded', message, since: 1 };
  const request = aRequest({ step: 'not_started', run: null, problem });
  return {
    message: renderTrouble(request).map(textOf).join(' '),
    reply: textOf(renderEndReply(request, ['U1'])[0]?.message.blocks),
    digest: textOf(renderDigest([request], new Map())?.blocks),
    home: withReason(requestRow(request), request).reason,
  };
}

describe('a run that was not started over a cap', () => {
  it('says everywhere whose cap it is and when it resets', () => {
    const shown = reasonsOf(ofCap);
    expect(shown.message).toContain(`${ofCap} Try again then, or ask an admin to raise the cap.`);
    expect(shown.reply).toContain(ofCap);
    expect(shown.digest).toContain(`Not started: ${ofCap}`);
    expect(shown.home).toBe(ofCap.slice(0, -1));
  });

  it.each(['Your team is out of credits.', 'POST /agent/runs failed with 402: with an empty body'])(
    "promises no reset if the service doesn't say when: %s",
    (message) => {
      const shown = reasonsOf(message);
      expect(shown.message).toContain(general);
      expect(shown.message).not.toContain('then');
      expect(shown.reply).toContain(general);
      expect(shown.digest).toContain(`Not started: ${general}`);
      expect(shown.home).toBe('A spending cap is used up');
    },
  );
});
