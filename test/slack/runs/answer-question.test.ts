import { describe, expect, it } from 'vitest';
import type { NewAnswer } from '../../../src/requests/answer.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { answerFromReply } from '../../../src/slack/runs/acting/answer-question.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const askedAtSeconds = 1_800_000_000;
const question = {
  id: 'q2',
  text: 'And its color?',
  options: [],
  takes_text: true,
  asked_at: new Date(askedAtSeconds * 1000).toISOString(),
};
const run = aRun({ state: 'BLOCKED', agent_progress: { question } });
const request = aRequest({ step: 'following', runId: 'run-1', run });

async function answer(ts: string) {
  const given: NewAnswer[] = [];
  const parts = {
    answers: { find: async () => undefined, give: async (each: NewAnswer) => given.push(each) > 0 },
    rights: { authorizeAnswer: async () => ({ authority: ownAuthority('U1') }) },
    wake: () => {},
  };
  const outcome = await answerFromReply(parts, { request, userId: 'U1' }, { text: 'Fern', ts });
  return { outcome, given: given.map((each) => each.given.text) };
}

describe('a message in the thread of a run that asks', () => {
  it('answers the question', async () => {
    expect(await answer(`${askedAtSeconds + 1}.000001`)).toEqual({
      outcome: 'answered',
      given: ['Fern'],
    });
  });

  it("isn't the answer if it was written before the question, for the one before that", async () => {
    const { outcome, given } = await answer(`${askedAtSeconds - 1}.999999`);
    expect(outcome).toEqual({ sentence: expect.stringContaining('Write again to answer') });
    expect(given).toEqual([]);
  });
});
