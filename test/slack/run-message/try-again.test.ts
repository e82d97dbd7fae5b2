import { expect, it } from 'vitest';
import type { RuleLimits } from '../../../src/policy/rule-caps.ts';
import { createRetry } from '../../../src/slack/run-message/register-run-message.ts';
import type { Acceptance } from '../../../src/store/requests/accept-request.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest } from '../../support/builders.ts';

const limits: RuleLimits = { caps: [{ scope: 'run', usd: 9, per: 'run' }] };
const two = { most: 2, rule: 'Fair', ask: 'a workspace admin' };

/** Tries a request again. Returns the answer, the limits that were checked, and the audit entries and wake-ups. */
async function triedAgain(answer: Acceptance, userId = 'U1', activeRuns = { ...two }) {
  const done: string[] = [];
  const wanted: object[] = [];
  const parts = {
    requests: {
      tryAgainWithin: async (limits: object, request: Pick<RunRequest, 'limits'>) => {
        wanted.push(limits, request.limits ?? {});
        return answer;
      },
    },
    rights: { limitsOf: async () => ({ activeRuns, startsPerHour: undefined, limits }) },
    limits: { maxActiveRuns: 9 },
    describeLimits: async ({ personId }: { personId: string }, { caps }: RuleLimits) => ({
      person: personId,
      caps: [...caps],
    }),
    audit: { note: async ({ action }: { action: string }) => void done.push(action) },
    wake: () => void done.push('woken'),
  };
  const text = await createRetry(parts)(aRequest({ step: 'not_started' }), userId);
  return { text, done, wanted };
}

it('tries a request again within the limits of active runs', async () => {
  const { text, done, wanted } = await triedAgain({ outcome: 'accepted' });
  expect([text, done]).toEqual([undefined, ['run_tried_again', 'woken']]);
  expect(wanted).toEqual([
    { maxActiveRuns: 9, maxOwnActiveRuns: 2 },
    // The rules may have changed since the first attempt.
    { person: 'U1', caps: [{ scope: 'run', usd: 9, per: 'run' }] },
  ]);
});

it.each([
  ['U1', 'You have 2 runs active. The rule "Fair" allows 2.'],
  ['U2', 'The person who started this run has 2 runs active. The rule "Fair" allows 2.'],
])('says which limit stops it: %s', async (userId, sentence) => {
  const { text, done } = await triedAgain({ outcome: 'too_many_own_live', used: 2 }, userId);
  expect(text).toContain(sentence);
  expect(done).toEqual([]);
});

it('does nothing for the second of two clicks', async () => {
  expect(await triedAgain({ outcome: 'repeated' })).toMatchObject({ text: undefined, done: [] });
});
