import { WebAPIPlatformError } from '@slack/web-api';
import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Rule } from '../../../src/policy/policy.ts';
import { sharedAuthority } from '../../../src/requests/authority.ts';
import { createMcpServerReader } from '../../../src/slack/configuration/keyed-servers.ts';
import { createActors } from '../../../src/slack/people/actors.ts';
import type { Person } from '../../../src/slack/people/people.ts';
import type { PolicyPlace } from '../../../src/slack/people/policies.ts';
import { createRights } from '../../../src/slack/people/rights.ts';
import type { Settings } from '../../../src/store/people/settings.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import type { RunViewer } from '../../../src/store/requests/visible-requests.ts';
import { aRequest } from '../../support/builders.ts';

const ada: Person = {
  name: 'Ada',
  picture: undefined,
  teamIds: ['T1'],
  role: 'member',
  isAdmin: true,
  timeZone: 'UTC',
};
const asker = { teamId: 'T1', userId: 'U1' };
const request = aRequest({ creatorId: 'U2' });
const keyed = { mcp_servers: { docs: { url: 'https://x.example', headers: { token: 'k' } } } };
const busy = new WebAPIPlatformError({ ok: false, error: 'internal_error' });

type Found = () => Promise<Person>;

function aWorkspace(
  find: Found,
  {
    findNow = find,
    last,
    stored = new Map(),
    rules = [],
    admins = [],
    waitMs,
    patienceMs,
  }: {
    findNow?: Found;
    last?: Person;
    stored?: Map<string, unknown>;
    rules?: Rule[];
    /** Admins named in the operator's file. */
    admins?: string[];
    waitMs?: number;
    patienceMs?: number;
  } = {},
) {
  const settings: Pick<Settings, 'read' | 'write' | 'readLayers' | 'list'> = {
    read: async (_, key) => stored.get(key),
    readLayers: async () => new Map(),
    list: async () => [],
    write: async (_, key, value) => void stored.set(key, value),
  };
  const people = { find, findNow, recallRecent: () => last };
  const policies = {
    namesAdmin: async ({ userId }: RunViewer) => admins.includes(userId),
    caseOf: async ({ userId, channelId }: PolicyPlace) => ({
      rules,
      ask: 'a workspace admin',
      facts: { userId, channelId, conversation: undefined, inGroups: new Map() },
    }),
  };
  const logger = createLogger('silent');
  const actors = createActors({ people, policies, settings, patienceMs, logger });
  const servers = createMcpServerReader(settings);
  return createRights({ actors, policies, servers, waitMs });
}

describe('what is stored', () => {
  it('waits a minute for Slack to say who someone is, and is then denied', async () => {
    const rights = aWorkspace(() => Promise.reject(busy), { patienceMs: 60_000 });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const start = Date.now();
    await expect(rights.denyStart(asker)).rejects.toBe(busy);
    vi.setSystemTime(start + 59_000);
    await expect(rights.denyCancel(request, 'U1')).rejects.toBe(busy);
    vi.setSystemTime(start + 60_000);
    expect(await rights.denyStart(asker)).toMatch(/^Slack can't say who you are right now/);
  });

  it('waits for nobody whom Slack called a member within the last day', async () => {
    const rights = aWorkspace(() => Promise.reject(busy), { last: ada, patienceMs: 60_000 });
    expect(await rights.denyStart(asker)).toBeUndefined();
  });

  it('is denied at once if Slack will never say it', async () => {
    const never = new WebAPIPlatformError({ ok: false, error: 'user_not_visible' });
    const rights = aWorkspace(() => Promise.reject(never), { patienceMs: 60_000 });
    expect(await rights.denyStart(asker)).toMatch(/^Slack can't say who you are/);
  });
});

describe('the facts behind a decision', () => {
  it("takes people of a workspace that Slack doesn't name as external", async () => {
    const rights = aWorkspace(async () => ({ ...ada, teamIds: [] }));
    expect(await rights.denyStart(asker)).toMatch(/^Only members/);
  });

  it("takes people of several workspaces as members of the app's", async () => {
    const rights = aWorkspace(async () => ({ ...ada, teamIds: ['T2', 'T1'] }));
    expect(await rights.denyStart(asker)).toBeUndefined();
  });

  it("takes another workspace's admins and guests as external", async () => {
    for (const role of ['member', 'guest'] as const) {
      const rights = aWorkspace(async () => ({ ...ada, role, teamIds: ['T2'] }));
      expect(await rights.denyStart(asker)).toMatch(/^Only members/);
      expect(await rights.denySettings(asker, 'workspace')).toMatch(/^Only workspace admins/);
    }
  });

  it.each<[string, Found]>([
    ['fails', () => Promise.reject(busy)],
    ["doesn't answer in time", () => new Promise(() => {})],
  ])('rejects people whom nothing is known of while Slack %s', async (_, find) => {
    const rights = aWorkspace(find, { waitMs: 1 });
    expect(await rights.denyStart(asker)).toMatch(/so nothing was started/);
    expect(await rights.denySee(asker)).toMatch(/so no runs are shown/);
    expect(await rights.denySettings(asker, 'channel')).toMatch(/so nothing was changed/);
    expect(await rights.denyPreset(asker, { scope: 'channel' })).toMatch(/^Slack can't/);
  });

  it('lets people start and see by what Slack said last while it fails', async () => {
    const find = () => Promise.reject(busy);
    const member = aWorkspace(find, { last: ada });
    expect(await member.denyStart(asker)).toBeUndefined();
    expect(await member.denySee(asker)).toBeUndefined();
    const guest = aWorkspace(find, { last: { ...ada, role: 'guest' } });
    expect(await guest.denyStart(asker)).toMatch(/^Guests/);
  });

  it('lets members of the last day start and see after a restart, while Slack fails', async () => {
    const fails = () => Promise.reject(busy);
    const stored = new Map<string, unknown>();
    expect(await aWorkspace(async () => ada, { stored }).denySee(asker)).toBeUndefined();
    const [[key = ''] = []] = stored;
    expect(await aWorkspace(fails, { stored }).denyStart(asker)).toBeUndefined();
    expect(await aWorkspace(fails, { stored }).denySettings(asker, 'channel')).toMatch(/^Slack/);
    const at = Number(stored.get(key));
    stored.set(key, at - 24 * 60 * 60_000);
    expect(await aWorkspace(fails, { stored }).denyStart(asker)).toMatch(/^Slack can't/);
    stored.set(key, at);
    const guest = async () => ({ ...ada, role: 'guest' as const });
    expect(await aWorkspace(guest, { stored }).denyStart(asker)).toMatch(/^Guests/);
    expect(await aWorkspace(fails, { stored }).denyStart(asker)).toMatch(/^Slack can't/);
  });

  it('counts the last day from when Slack said it, not from when it was last needed', async () => {
    const stored = new Map<string, unknown>();
    const rights = aWorkspace(() => Promise.reject(busy), { stored, last: ada });
    expect(await rights.denyStart(asker)).toBeUndefined();
    expect([...stored]).toEqual([]);
  });

  it('asks Slack again before something is changed', async () => {
    const findNow = async () => ({ ...ada, isAdmin: false });
    const rights = aWorkspace(async () => ada, { findNow, last: ada });
    expect(await rights.denyCancel(request, 'U1')).toMatch(/^Only <@U2>/);
    expect(await rights.denySettings(asker, 'workspace')).toMatch(/^Only workspace admins/);
    expect(await rights.denyPreset(asker, { scope: 'workspace' })).toMatch(/^Only workspace/);
  });

  it("doesn't ask Slack about creators and personal settings", async () => {
    const rights = aWorkspace(() => Promise.reject(new Error('not expected')));
    expect(await rights.denyCancel(request, 'U2')).toBeUndefined();
    expect(await rights.denySettings(asker, 'person')).toBeUndefined();
    expect(await rights.denyPreset(asker, { scope: 'person' })).toBeUndefined();
  });

  it('offers to cancel only to people who are known and may', async () => {
    const rights = aWorkspace(async () => ada);
    expect(await rights.offersCancel(asker, ada)).toBe(true);
    expect(await rights.offersCancel(asker, { ...ada, isAdmin: false })).toBe(false);
    expect(await rights.offersCancel({ ...asker, teamId: 'T2' }, ada)).toBe(false);
    expect(await rights.offersCancel(asker, undefined)).toBe(false);
  });

  it('let people command a run only as they could start it', async () => {
    const rights = aWorkspace(async () => ada, {
      rules: [
        { name: 'Web', channels: ['C1'], environments: ['web'] },
        { name: 'Closed', channels: ['C2'], start: false },
      ],
    });
    const inWeb = aRequest({ config: { environment_id: 'web' } });
    const inProd = aRequest({ config: { environment_id: 'prod' } });
    const closed = aRequest({ channelId: 'C2' });
    const message = async (run: RunRequest) => {
      const authorized = await rights.authorizeMessage(asker, run);
      return 'denial' in authorized ? authorized.denial : undefined;
    };
    expect(await message(inWeb)).toBeUndefined();
    expect(await message(inProd)).toMatch(/"Web" only allows the environment "web"/);
    expect(await message(closed)).toMatch(/"Closed" blocks sending/);
    expect(await rights.denyTryAgain(inWeb, 'U1')).toBeUndefined();
    expect(await rights.denyTryAgain(inProd, 'U1')).toMatch(/"Web"/);
    expect(await rights.denyTryAgain(closed, 'U1')).toMatch(/"Closed"/);
  });

  it('let people publish by one rule, and merge by another', async () => {
    const rights = aWorkspace(async () => ada, {
      rules: [{ name: 'Reviewed', publish: true, merge: false }],
    });
    expect(await rights.denyPublish(request, 'U1', { isMerge: false })).toBeUndefined();
    expect(await rights.denyPublish(request, 'U1', { isMerge: true })).toMatch(/"Reviewed"/);
  });

  it.each([
    ['without keys of theirs', {}, [], [undefined, undefined, undefined]],
    ['with their API key', { connectionId: 'default/T1/U2' }, [], ['keys', 'keys', 'keys']],
    ['with their MCP key', { config: keyed }, [], ['keys', 'keys', undefined]],
    [
      'with a key that they share',
      { config: keyed, origin: { kind: 'command', sharesKeys: true } },
      [],
      [undefined, undefined, undefined],
    ],
    [
      'with a key, where a rule allows it',
      { connectionId: 'default/T1/U2' },
      [{ name: 'Pairs', borrow_keys: true }],
      [undefined, undefined, undefined],
    ],
    [
      'with a key that they share, where a rule rejects it',
      { config: keyed, origin: { kind: 'command', sharesKeys: true } },
      [{ name: 'Strict', borrow_keys: false }],
      ['"Strict"', '"Strict"', undefined],
    ],
  ] as [string, Partial<RunRequest>, Rule[], unknown[]][])(
    "of others' runs (%s): to message, answer and publish",
    async (_, changes, rules, expected) => {
      const allowing = { name: 'All', answer: true, publish: true };
      const rights = aWorkspace(async () => ada, { rules: [...rules, allowing] });
      const run = { ...request, ...changes };
      const denials = [
        await rights.authorizeMessage(asker, run),
        await rights.authorizeAnswer(run, 'U1'),
        { denial: await rights.denyPublish(run, 'U1', { isMerge: false }) },
      ].map((each) => ('denial' in each ? each.denial : undefined));
      expect(denials).toEqual(
        expected.map((words) => words && expect.stringContaining(String(words))),
      );
      const own = { ...run, creatorId: 'U1', connectionId: 'default' };
      expect(await rights.authorizeMessage(asker, own)).toMatchObject({
        authority: { actorId: 'U1', keysOf: changes.config ? 'U1' : null },
      });
    },
  );

  it("of a workflow's run use no keys of the person it names, so others can message it", async () => {
    const rights = aWorkspace(async () => ada);
    const authority = sharedAuthority('U0');
    const run = { ...request, authority, config: keyed, origin: { kind: 'workflow' as const } };
    expect(await rights.authorizeMessage(asker, run)).toEqual({
      authority: { actorId: 'U1', keysOf: null },
    });
    expect(await rights.authorizeMessage({ ...asker, userId: 'U2' }, run)).toEqual({
      authority: { actorId: 'U2', keysOf: null },
    });
  });

  it('throws bugs instead of taking them for an answer of Slack', async () => {
    const rights = aWorkspace(() => Promise.reject(new Error('a bug')));
    await expect(rights.denyStart(asker)).rejects.toThrow('a bug');
  });
});

describe('an admin whom the operator names', () => {
  const member = { ...ada, isAdmin: false };
  const named = { admins: ['U1'] };

  it('can do what a workspace admin can', async () => {
    const rights = aWorkspace(async () => member, named);
    expect(await rights.denySettings(asker, 'workspace')).toBeUndefined();
    expect(await rights.denyAllButAdmins(asker, 'read the audit log')).toBeUndefined();
    expect(await rights.denyCancel(request, 'U1')).toBeUndefined();
    expect(await rights.offersCancel(asker, member)).toBe(true);
    expect(await rights.isAdmin(asker, member)).toBe(true);
  });

  it.each([
    ['isn’t named', { ...member }, { admins: ['U3'] }],
    ['is a guest', { ...member, role: 'guest' as const }, named],
    ['is in another workspace', { ...member, teamIds: ['T2'] }, named],
    ['has left', { ...member, role: 'deactivated' as const }, named],
  ])('is none who %s', async (_, person, options) => {
    const rights = aWorkspace(async () => person, options);
    expect(await rights.denySettings(asker, 'workspace')).toContain('Only workspace admins');
    expect(await rights.isAdmin(asker, person)).toBe(false);
  });
});
