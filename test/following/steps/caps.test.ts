import type { CreateRunRequest } from 'runs-client/contract';
import type { RunLimits } from 'runs-client/run-limits';
import { RunsApiError } from 'runs-client/runs-api-error';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCapCheck } from '../../../src/following/steps/check-caps.ts';
import type { FollowingDeps } from '../../../src/following/track.ts';
import type { RequestProblem } from '../../../src/requests/run-progress.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { createSpending } from '../../../src/store/requests/spending.ts';
import { advanceLeased } from '../advance-leased.ts';
import { posted, useOneRequest } from '../one-request.ts';

const { database, leased, createParts, current, leaseAgain } = useOneRequest();

const berlin = 'Europe/Berlin';
const labels = { workspace: 'T1', person: 'U1', channel: 'C1' };
const daily = { scope: 'person', usd: 5, per: 'day', time_zone: berlin, name: 'Ada' } as const;
const limits: RunLimits = { ...labels, caps: [{ scope: 'run', usd: 2, per: 'run' }, daily] };

const rejected = (status: number, detail: string) =>
  new RunsApiError({
    code: status === 402 ? 'budget_exceeded' : 'bad_request',
    message: 'Rejected',
    status,
    problem: { detail },
  });

/** Advances a request with limits at a service that answers each create call with the next of these. */
async function starts(
  answers: readonly (RunsApiError | 'created')[],
  {
    members = ['U1', 'U2'],
    requested = limits,
    problem = null,
  }: { members?: string[] | null; requested?: RunLimits; problem?: RequestProblem | null } = {},
) {
  const sent: CreateRunRequest[] = [];
  const create = async (wanted: CreateRunRequest) => {
    sent.push(wanted);
    const answer = answers[sent.length - 1] ?? 'created';
    if (answer !== 'created') throw answer;
    return { run_id: 'run-1', state: 'QUEUED' };
  };
  const spending = createSpending(database());
  const parts = {
    ...createParts({ runs: { create } as unknown as FollowingDeps['runs'] }),
    caps: createCapCheck({ spending, membersOf: async () => members ?? undefined }),
  };
  await leased({ ...posted, problem });
  await database()
    .updateTable('requests')
    .set({ limits_json: JSON.stringify(requested), due_at: 1 })
    .where('id', '=', 'r1')
    .execute();
  await advanceLeased(parts, await leaseAgain());
  return { sent, now: await current() };
}

/** Stores an earlier run with its cost in dollars. */
async function spent(usd: number, { at = Date.now(), creatorId = 'U1', models = false } = {}) {
  const id = `spent ${Math.random()}`;
  const asked = { teamId: 'T1', creatorId, channelId: 'C1', prompt: 'p', title: 't', config: {} };
  await createRequests(database()).accept({ id, ...asked, acceptedAt: at });
  const columns = {
    step: 'ended',
    due_at: null,
    cost_micros: usd * 1e6,
    is_cost_incomplete: 0,
    ...(models && { cost_models_json: '[{"model":"big","micros":1,"tokens":1,"calls":1}]' }),
  } as const;
  await database().updateTable('requests').set(columns).where('id', '=', id).execute();
}

function atNoon() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-27T11:00:00Z') });
  onTestFinished(() => void vi.useRealTimers());
}

describe('the limits of a request', () => {
  it('are sent with the run, the same in each attempt', async () => {
    const { sent, now } = await starts(['created']);
    expect(sent.map((each) => each.limits)).toEqual([limits]);
    expect(now.step).toBe('following');
  });

  it("are left out for a service that doesn't know them, and the message says what isn't enforced", async () => {
    const { sent, now } = await starts([rejected(422, 'limits: unknown member'), 'created']);
    expect(sent.map((each) => each.limits)).toEqual([limits, undefined]);
    expect(now.startNotes).toEqual([
      "Started without its spending cap, because the runs service can't enforce that.",
    ]);
  });

  it('are left out without a note if no rule sets any', async () => {
    const answers = [rejected(400, 'limits'), 'created'] as const;
    const { now } = await starts(answers, { requested: labels });
    expect(now).toMatchObject({ step: 'following', startNotes: null });
  });

  it('are never left out for a service that counts spending', async () => {
    await spent(1, { models: true });
    const { sent, now } = await starts([rejected(422, 'limits: time_zone is unknown')]);
    expect(sent).toHaveLength(1);
    expect(now).toMatchObject({ step: 'not_started', problem: { code: 'bad_request' } });
  });
});

it('a run over a cap is not started, with the sentence of the service', async () => {
  const detail = 'Ada has spent $5.00 of $5.00 today. It resets on Saturday at 00:00.';
  const { sent, now } = await starts([rejected(402, detail)]);
  expect(sent).toHaveLength(1);
  const problem = { code: 'budget_exceeded', message: detail };
  expect(now).toMatchObject({ step: 'not_started', problem });
});

describe('a service that does not count spending', () => {
  it('gets no run of someone who has spent their cap, by the costs that were reported', async () => {
    atNoon();
    await spent(4.5);
    expect((await starts([])).now.step).toBe('following');
  });

  it('says how much was spent, and when the cap resets', async () => {
    atNoon();
    await spent(3);
    await spent(2.345);
    const { sent, now } = await starts([]);
    expect(sent).toEqual([]);
    expect(now.problem).toMatchObject({
      code: 'budget_exceeded',
      message:
        'Ada has spent $5.35 of $5.00 today. It resets on Saturday, November 28 at 00:00 (Europe/Berlin).',
    });
  });

  it('counts only the period, in the time zone of the cap, and only this person', async () => {
    atNoon();
    // The day begins at 23:00 UTC in Berlin.
    await spent(9, { at: Date.parse('2026-11-26T22:59:59Z') });
    await spent(9, { creatorId: 'U2' });
    expect((await starts([])).now.step).toBe('following');
    await spent(9, { at: Date.parse('2026-11-26T23:00:00Z') });
  });

  it('counts all members of a group together', async () => {
    const group = { scope: 'group', usd: 5, per: 'month', group: 'S1', name: '@platform' } as const;
    await spent(3);
    await spent(3, { creatorId: 'U2' });
    const requested = { ...labels, caps: [group] };
    const { now } = await starts([], { requested });
    expect(now.problem?.message).toContain('@platform has spent $6.00 of $5.00 this month.');
  });

  it('gets the run later while Slack does not say who is in the group, and none after 15 minutes', async () => {
    const group = { scope: 'group', usd: 5, per: 'month', group: 'S1', name: '@platform' } as const;
    const requested = { ...labels, caps: [group] };
    const problem = { code: 'cap_unchecked', message: "Slack didn't say who is in @platform." };
    const first = await starts([], { requested, members: null });
    expect(first.now).toMatchObject({ step: 'posted', problem });
    const since = Date.now() - 15 * 60_000;
    const last = await starts([], { requested, members: null, problem: { ...problem, since } });
    expect(last.now).toMatchObject({ step: 'not_started', problem });
    expect([...first.sent, ...last.sent]).toEqual([]);
  });

  it('calls people without a name by what they did', async () => {
    await spent(5);
    const { name: _, ...unnamed } = daily;
    const { now } = await starts([], { requested: { ...labels, caps: [unnamed] } });
    expect(now.problem?.message).toMatch(/^The person who started this run has spent \$5\.00 of/);
  });

  it('decides itself if it counts spending, because people may have allowed more there', async () => {
    await spent(9, { models: true });
    const { sent } = await starts(['created']);
    expect(sent).toHaveLength(1);
  });
});
