import { RunsApiError, type RunsApiErrorDetails } from 'runs-client/runs-api-error';
import { beforeEach, expect, it } from 'vitest';
import type { GivenAnswer } from '../../../src/requests/answer.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { operatorConnection } from '../../../src/requests/connection.ts';
import { createOutbox } from '../../../src/store/outbox/outbox.ts';
import { aRun } from '../../support/builders.ts';
import { advanceLeased } from '../advance-leased.ts';
import { useOneRequest } from '../one-request.ts';

const { database, leased, createParts, makeDue, leaseAgain } = useOneRequest();
beforeEach(async () => void (await database().deleteFrom('answers').execute()));

const id = 'r1 question q';
const chosen: GivenAnswer = { questionId: 'q1', optionId: 'yes', text: 'Yes' };
const typed: GivenAnswer = { questionId: 'q1', text: 'main' };
const followUp: GivenAnswer = { questionId: null, text: 'main' };
const failure = (details: Partial<RunsApiErrorDetails>) =>
  new RunsApiError({ code: 'server_error', message: 'as the test says', ...details });

/**
 * Gives an answer while its run waits, and lets the follower send it.
 * @param failures errors of the first attempts
 */
async function given(answer: GivenAnswer, ...failures: RunsApiError[]) {
  const sent: unknown[] = [];
  const keys = new Set<string | undefined>();
  const send = async (...call: unknown[]) => {
    const { idempotencyKey } = call.pop() as { idempotencyKey?: string };
    keys.add(idempotencyKey);
    sent.push(call);
    const next = failures.shift();
    if (next) throw next;
    return { run_id: 'run-1' };
  };
  const run = aRun({ state: 'BLOCKED' });
  const runs = { answer: send, followUp: send, get: async () => run };
  const parts = createParts({ runs });
  const asked = {
    id,
    teamId: 'T1',
    requestId: 'r1',
    answeredBy: 'U1',
    authority: ownAuthority('U1'),
    answeredAt: Date.now(),
  };
  const following = {
    step: 'following',
    run,
    runId: 'run-1',
    nextPollAt: Date.now() + 1e6,
  } as const;
  const first = await leased(following);
  await parts.leases.release([{ lease: first, changes: {}, dueAt: null }]);
  await parts.answers.give({ ...asked, given: answer });
  const stored = () => parts.answers.find(id);
  const works = async () => {
    await database().updateTable('answers').set({ retry_at: 1 }).execute();
    await makeDue();
    await advanceLeased(parts, await leaseAgain());
  };
  await works();
  return { sent, keys, stored, works, parts };
}

it('gives the agent the option that someone chose, once', async () => {
  const { sent, stored, works } = await given(chosen);
  await works();
  expect(sent).toEqual([['run-1', { question_id: 'q1', option_id: 'yes' }]]);
  expect(await stored()).toMatchObject({ outcome: 'accepted', problem: null });
});

it('gives what was typed', async () => {
  const { sent } = await given(typed);
  expect(sent).toEqual([['run-1', { question_id: 'q1', text: 'main' }]]);
});

it('sends the answer to a question again with its key until the service says whether it counts', async () => {
  const lost = failure({ code: 'connection', retryable: true });
  const page = failure({ code: 'bad_response', status: 200, retryable: false });
  const { sent, keys, stored, works } = await given(chosen, lost, page);
  await works();
  await works();
  expect(sent).toHaveLength(3);
  expect(keys.size).toBe(1);
  expect(await stored()).toMatchObject({ outcome: 'accepted' });
});

it('answers a service that names no question with a follow-up', async () => {
  const { sent, stored } = await given(followUp);
  expect(sent).toEqual([['run-1', 'main']]);
  expect(await stored()).toMatchObject({ outcome: 'accepted' });
});

it("doesn't repeat a follow-up that the agent may have got", async () => {
  const { sent, stored, works } = await given(
    followUp,
    failure({ code: 'timeout', retryable: true }),
  );
  await works();
  await works();
  expect(sent).toHaveLength(1);
  expect(await stored()).toMatchObject({ outcome: 'unclear' });
});

it('repeats a follow-up that certainly was not sent', async () => {
  const unsent = failure({ code: 'connection', retryable: true, sent: false });
  const { sent, stored, works } = await given(followUp, unsent);
  await works();
  expect(sent).toHaveLength(2);
  expect(await stored()).toMatchObject({ outcome: 'accepted' });
});

it.each([
  ['late', chosen, { code: 'conflict' }],
  ['late', followUp, { code: 'bad_request' }],
  ['not_offered', chosen, { code: 'not_found' }],
  ['not_offered', followUp, { code: 'client_error', status: 405 }],
  ['rejected', chosen, { code: 'bad_request' }],
  ['rejected', chosen, { code: 'forbidden' }],
] as const)('knows an answer that is %s', async (outcome, answer, details) => {
  const { stored } = await given(answer, failure(details));
  const problem = outcome === 'rejected' ? 'as the test says' : null;
  expect(await stored()).toMatchObject({ outcome, problem });
});

it("doesn't claim that an answer was late if an earlier try may have counted", async () => {
  const lost = failure({ code: 'connection', retryable: true });
  const { stored, works } = await given(chosen, lost, failure({ code: 'conflict' }));
  await works();
  expect(await stored()).toMatchObject({ outcome: 'unclear' });
});

it('sends an unsettled answer again after a sweep has seen the end of its run', async () => {
  const lost = failure({ code: 'connection', retryable: true });
  const { sent, stored, parts } = await given(chosen, lost);
  const ended = aRun({ state: 'FAILED', updated_at: '2026-11-01T12:00:09.000Z' });
  await parts.followedOf(operatorConnection).deliverUpdates([ended]);
  const dueAt = await advanceLeased(parts, await leaseAgain());
  expect(dueAt).not.toBeNull();
  await database().updateTable('answers').set({ retry_at: 1 }).execute();
  await advanceLeased(parts, await leaseAgain());
  expect(sent).toHaveLength(2);
  expect(await stored()).toMatchObject({ outcome: 'accepted' });
});

it('settles an answer that waited while the next question was asked and answered', async () => {
  const { stored, works, parts } = await given(chosen, failure({ code: 'connection' }));
  const next = 'r1 question next';
  const post = { kind: 'question', teamId: 'T1', requestId: 'r1', content: {}, dueAt: null };
  await createOutbox(database()).plan([id, next].map((each) => ({ id: each, ...post })));
  const asked = {
    id: next,
    teamId: 'T1',
    requestId: 'r1',
    answeredBy: 'U1',
    authority: ownAuthority('U1'),
    answeredAt: Date.now(),
  };
  await parts.answers.give({ ...asked, given: typed });
  await works();
  await works();
  expect(await parts.answers.find(next)).toMatchObject({ outcome: 'accepted' });
  expect(await stored()).toMatchObject({ outcome: 'accepted' });
});
