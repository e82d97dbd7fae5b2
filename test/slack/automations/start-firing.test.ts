import { WebAPIPlatformError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import type { Automation, Trigger } from '../../../src/automations/automation.ts';
import type { Firing, FiringContent } from '../../../src/automations/firing.ts';
import type { Rule } from '../../../src/policy/policy.ts';
import { createFiringChecks } from '../../../src/slack/automations/check-firing.ts';
import type { MessageContext } from '../../../src/slack/automations/firing-message.ts';
import { createAutomationPlace } from '../../../src/slack/automations/start-firing.ts';
import type { Actor } from '../../../src/slack/people/permissions.ts';
import type { PolicyPlace } from '../../../src/slack/people/policies.ts';
import type { RunStart } from '../../../src/slack/runs/acting/run-start.ts';
import { createOutbox } from '../../../src/store/outbox/outbox.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { aDefinition, anAutomation } from '../../support/automations.ts';
import { useDatabase } from '../../support/database/databases.ts';

const database = useDatabase();
const silent = new WebAPIPlatformError({ ok: false, error: 'internal_error' });
const member: Actor = { role: 'member', isAdmin: false };

const automationOf = (changes: Partial<Automation['definition']> = {}): Automation => ({
  ...anAutomation({ definition: aDefinition(changes) }),
  pause: null,
  failedStarts: 0,
  changedAt: 0,
  changedBy: 'U1',
  revision: 0,
});

const onMessages = (changes: Partial<Extract<Trigger, { kind: 'message' }>> = {}): Trigger => ({
  kind: 'message',
  text: '',
  people: [],
  bots: ['B1'],
  onlyBots: false,
  ...changes,
});
const message = (by: string): FiringContent => ({ kind: 'message', channelId: 'C1', ts: '1', by });

const read: MessageContext = {
  values: { text: 'Disk full', author: 'Pager', link: 'https://x.example/p1' },
  context: 'Pager (now):\n> Disk full',
  origin: { threadTs: '1', source: { channelId: 'C1', ts: '1' } },
};

type World = {
  actors?: Record<string, Actor>;
  rules?: Rule[];
  sees?: boolean;
  found?: MessageContext | 'gone';
  closed?: string;
  rejected?: 'rights' | 'limits' | 'connection';
  payload?: unknown;
  fails?: unknown;
};

/** Starts a firing, and returns its outcome and the run. */
async function start(automation: Automation, fired: FiringContent, world: World = {}) {
  const { actors = {}, rules = [], sees = true, rejected, fails } = world;
  const starts: RunStart[] = [];
  const settings = createSettings(database());
  const facts = { conversation: undefined, inGroups: new Map() };
  const standingOf = async ({ userId, channelId }: PolicyPlace & { userId: string }) => {
    if (fails) throw fails;
    const policy = { rules, ask: 'a workspace admin', facts: { ...facts, userId, channelId } };
    return { actor: actors[userId] ?? member, policy };
  };
  const place = createAutomationPlace({
    settings,
    outbox: createOutbox(database()),
    people: { recall: () => new Map() },
    automationRights: { maxStartsPerHour: async () => undefined },
    checks: createFiringChecks({
      rights: { standingOf },
      seesConversation: async () => sees,
      settings,
    }),
    readFiringMessage: async () => world.found,
    checkPosting: async () => world.closed,
    startRun: async (run) => {
      starts.push(run);
      if (rejected) return { outcome: 'rejected', by: rejected, sentence: 'No.' };
      return { outcome: 'accepted', visibleInMs: 0, canPost: true };
    },
    markSource: async () => {},
    wake: () => {},
  });
  const firing: Firing = {
    id: 'a1 key',
    automationId: 'a1',
    teamId: 'T1',
    happenedAt: Date.UTC(2026, 0, 31, 23, 30),
    state: 'waiting',
    reason: null,
    requestId: 'T1-a1-key',
    startKey: 'key',
    content: { fired },
    countedAt: 1,
  };
  const { payload } = world;
  const outcome = await place.start(
    { automation, firing, requestId: 'T1-a1-key', payload },
    new AbortController().signal,
  );
  return { outcome, run: starts[0] };
}

const schedule: FiringContent = { kind: 'schedule' };

describe('a run of an automation', () => {
  it('starts as its owner, with what a command of the owner there would have', async () => {
    const settings = createSettings(database());
    const channel = { teamId: 'T1', scope: 'channel', scopeId: 'C1' } as const;
    await settings.write(channel, 'run.defaults', { environment_id: 'shop', model_id: 'small' });
    const preset = { name: 'Review', config: { model_id: 'large', skill_spec: 'a/b:c' } };
    await settings.write(channel, 'preset:review', preset);
    const config = { skill_spec: 'a/b:own' };
    const automation = automationOf({ preset: 'channel:Review', config, prompt: 'go {{ date }}' });
    const { outcome, run } = await start(automation, schedule);
    expect(outcome).toEqual({ outcome: 'started' });
    expect(run).toMatchObject({
      id: 'T1-a1-key',
      authority: { actorId: 'U1', keysOf: 'U1' },
      channelId: 'C1',
      prompt: 'go 2026-02-01',
      config: { environment_id: 'shop', model_id: 'large', skill_spec: 'a/b:own' },
      origin: {
        kind: 'automation',
        fields: { environment_id: 'channel defaults', model_id: 'channel preset Review' },
        automation: { id: 'a1', name: 'Nightly check', firingId: 'a1 key', trigger: 'schedule' },
      },
    });
    expect(run?.origin.ownsThread).toBeUndefined();
  });

  it('of a message has it as context and replies in its thread', async () => {
    const trigger = onMessages();
    const automation = automationOf({ trigger, prompt: 'Look into {{ message.text }}' });
    const { run } = await start(automation, message('U2'), { found: read });
    expect(run).toMatchObject({
      prompt: 'Look into Disk full',
      context: read.context,
      origin: { threadTs: '1', source: { ts: '1' }, automation: { trigger: 'message', by: 'U2' } },
    });
  });

  it('of a delivery names the payload for the agent, and shows values as text', async () => {
    const trigger: Trigger = { kind: 'webhook', sender: 'bearer', filter: [] };
    const automation = automationOf({ trigger, prompt: 'Fix {{ payload.title }}' });
    const fired: FiringContent = { kind: 'webhook', deliveryId: 'd1' };
    const payload = { title: 'a\n{{ date }} ghp_0123456789abcdefghijABCDEFGHIJ012345' };
    const { run } = await start(automation, fired, { payload });
    expect(run?.prompt).toBe('Fix a {{ date }} [masked secret 1]');
    expect(run?.origin.automation?.payloadOf).toBe('a1 key');
    const linked = await start(automation, fired, { payload: { title: 'https://x.example' } });
    expect(linked.run?.title).not.toContain('://');
    const test: FiringContent = { kind: 'test', by: 'U1', ofFiring: 'a1 earlier' };
    const tested = await start(automation, test, { payload });
    expect(tested.run?.origin.automation).toMatchObject({ payloadOf: 'a1 earlier', by: 'U1' });
  });

  it('waits for the message whose thread shows the runs', async () => {
    const { outcome, run } = await start(automationOf({ show: 'thread' }), schedule);
    expect([outcome.outcome, run]).toEqual(['later', undefined]);
    const id = 'automation-thread a1 C1';
    const posted = { channel_id: 'C1', ts: '7.1', state: 'done' };
    await database().updateTable('outbox').set(posted).where('id', '=', id).execute();
    const again = await start(automationOf({ show: 'thread' }), schedule);
    expect(again.run?.origin.threadTs).toBe('7.1');
  });
});

describe('an automation starts nothing', () => {
  const outcomes: [string, World, string, RegExp][] = [
    ['as a guest', { actors: { U1: { role: 'guest', isAdmin: false } } }, 'not allowed', /guest/],
    [
      'as someone who was deactivated',
      { actors: { U1: { role: 'deactivated', isAdmin: true } } },
      'not allowed',
      /deactivated/,
    ],
    ['where a rule blocks runs', { rules: [{ name: 'R', start: false }] }, 'not allowed', /"R"/],
    [
      'where a rule blocks its trigger',
      { rules: [{ name: 'R', automations: ['webhook'] }] },
      'not allowed',
      /trigger webhook/,
    ],
    ['in a channel that its owner left', { sees: false }, 'not allowed', /can't read/],
    ['with rights that the form had', { rejected: 'rights' }, 'not allowed', /No/],
    ['over a limit of its owner', { rejected: 'limits' }, 'skipped', /No/],
    ['with a removed connection', { rejected: 'connection' }, 'failed', /No/],
    ['in an archived channel', { closed: 'Archived.' }, 'failed', /Archived/],
    [
      'if the app cannot see people at all',
      { actors: { U1: { role: 'unknown', isAdmin: false, isHidden: true } } },
      'failed',
      /users:read/,
    ],
  ];
  it.each(outcomes)('%s', async (_, world, outcome, sentence) => {
    const found = await start(automationOf(), schedule, world);
    expect(found.outcome).toMatchObject({ outcome, sentence: expect.stringMatching(sentence) });
  });

  it.each<[string, World]>([
    ['fails', { fails: silent }],
    ['does not know the owner', { actors: { U1: { role: 'unknown', isAdmin: false } } }],
    ['does not say who is in a group', { rules: [{ name: 'R', groups: ['S1'], run_cap: 1 }] }],
  ])('yet while Slack %s', async (_, world) => {
    const { outcome, run } = await start(automationOf(), schedule, world);
    expect([outcome.outcome, run]).toEqual(['later', undefined]);
  });

  it('with a preset that was deleted, or an empty prompt', async () => {
    const gone = await start(automationOf({ preset: 'person:Gone' }), schedule);
    expect(gone.outcome).toMatchObject({
      outcome: 'failed',
      sentence: expect.stringMatching(/no preset called/),
    });
    const empty = await start(automationOf({ prompt: '{{ payload.x }}' }), schedule);
    expect(empty.outcome).toMatchObject({
      outcome: 'failed',
      sentence: expect.stringMatching(/prompt is empty/),
    });
  });

  it('for people and bots who cannot start runs', async () => {
    const automation = automationOf({ trigger: onMessages() });
    const guest: World = { found: read, actors: { U2: { role: 'guest', isAdmin: false } } };
    const by = async (id: string, world: World = { found: read }) =>
      (await start(automation, message(id), world)).outcome;
    expect(await by('U2', guest)).toMatchObject({
      outcome: 'skipped',
      sentence: expect.stringMatching(/<@U2>. Guests/),
    });
    expect(await by('B1')).toMatchObject({
      outcome: 'skipped',
      sentence: expect.stringMatching(/isn't allowed/),
    });
    const bots = [{ botId: 'B1', name: 'Pager', allowedBy: 'U9', at: 1 }];
    const workspace = { teamId: 'T1', scope: 'workspace', scopeId: 'T1' } as const;
    await createSettings(database()).write(workspace, 'automations.bots', bots);
    expect(await by('B1')).toEqual({ outcome: 'started' });
    expect(await by('B2')).toMatchObject({ outcome: 'skipped' });
    const unknown: World = { found: read, actors: { U2: { role: 'unknown', isAdmin: false } } };
    expect(await by('U2', unknown)).toMatchObject({ outcome: 'later' });
  });

  it('for a message that is gone', async () => {
    const automation = automationOf({ trigger: onMessages() });
    const { outcome, run } = await start(automation, message('U2'), { found: 'gone' });
    expect([outcome.outcome, run]).toEqual(['unmatched', undefined]);
  });
});
