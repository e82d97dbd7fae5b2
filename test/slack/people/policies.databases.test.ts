import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import type { Rule } from '../../../src/policy/policy.ts';
import { rulingOn } from '../../../src/policy/ruling.ts';
import { rulesKey } from '../../../src/policy/stored-rules.ts';
import { createPolicies, policyOwner } from '../../../src/slack/people/policies.ts';
import { createUserGroups } from '../../../src/slack/people/user-groups.ts';
import { createAudit } from '../../../src/store/audit/audit.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const closed: Rule = { name: 'Closed', start: false };
const open: Rule = { name: 'Open', groups: ['S01'], conversations: ['public'], start: true };
const place = { teamId: 'T1', userId: 'U01', channelId: 'C01' };

/** Slack's answers. An undefined one is an error. */
type SlackAnswers = {
  members?: string[];
  isDisabled?: boolean;
  isPrivate?: boolean;
};

function aClient(world: SlackAnswers): { client: WebClient; asked: string[] } {
  const asked: string[] = [];
  const answer = async <T>(what: string, value: T | undefined): Promise<T> => {
    asked.push(what);
    if (value === undefined) throw new WebAPIPlatformError({ ok: false, error: 'internal_error' });
    return value;
  };
  const client = {
    usergroups: {
      users: {
        list: async ({ include_disabled: isWhole }: { include_disabled?: boolean }) => {
          if (world.isDisabled && !isWhole)
            throw new WebAPIPlatformError({ ok: false, error: 'no_such_subteam' });
          return answer('group', world.members && { users: world.members });
        },
      },
    },
    conversations: {
      async info({ channel }: { channel: string }) {
        if (channel === 'D0OTHERS')
          throw new WebAPIPlatformError({ ok: false, error: 'channel_not_found' });
        const is_im = channel.startsWith('D');
        const facts = { is_private: world.isPrivate, is_im, is_mpim: channel === 'C0GROUP' };
        return answer('channel', world.isPrivate === undefined ? undefined : { channel: facts });
      },
    },
  };
  return { client: client as unknown as WebClient, asked };
}

describeOnDatabase('the rules of a workspace', (database) => {
  const settings = () => createSettings(database());
  const write = (rules: unknown[], teamId = 'T1') =>
    settings().write(policyOwner(teamId), rulesKey, rules, 'UADMIN');
  const policiesWith = (
    world: SlackAnswers,
    file?: Rule[],
    { isInUse = file !== undefined } = {},
  ) => {
    const { client, asked } = aClient(world);
    const groups = createUserGroups({
      client,
      granted: { has: () => true },
      teamId: 'T1',
      settings: settings(),
    });
    const admins = { people: ['U01'], groups: ['S01'] };
    const fromFile = { rulesOf: () => file, adminsOf: () => admins, problem: () => undefined };
    const parts = { settings: settings(), groups, client };
    return { asked, ...createPolicies({ ...parts, file: isInUse ? fromFile : undefined }) };
  };
  const namesIn = async (teamId: string) =>
    (await policiesWith({}).read(teamId)).rules.map(({ name }) => name);

  it('are in their order, and not those of others', async () => {
    await write([open, closed]);
    await write([closed], 'T2');
    expect(await namesIn('T1')).toEqual(['Open', 'Closed']);
    expect(await namesIn('T2')).toEqual(['Closed']);
    expect(await namesIn('T3')).toEqual([]);
  });

  it('reject everything if one of them is of another version', async () => {
    await write([open, { name: 'Newer', start: true, moon: 'full' }]);
    const policy = await policiesWith({}).caseOf(place);
    for (const right of ['start', 'cancel', 'answer', 'publish', 'merge'] as const)
      expect(rulingOn(policy, right)).toMatchObject({ value: false });
  });

  it('ask Slack only for what they need, and once', async () => {
    const { caseOf, asked } = policiesWith({ members: ['U01'], isPrivate: false });
    await write([closed]);
    expect(rulingOn(await caseOf(place), 'start').value).toBe(false);
    expect(asked).toEqual([]);
    await write([open, closed]);
    for (let times = 0; times < 3; times += 1)
      expect(rulingOn(await caseOf(place), 'start').value).toBe(true);
    expect(asked.toSorted()).toEqual(['channel', 'group']);
    expect(rulingOn(await caseOf({ ...place, userId: 'U02' }), 'start').value).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('are still for the people of a group that was disabled', async () => {
    const { caseOf } = policiesWith({ members: ['U01'], isDisabled: true, isPrivate: false });
    await write([open, closed]);
    expect(rulingOn(await caseOf(place), 'start').value).toBe(true);
    expect(rulingOn(await caseOf({ ...place, userId: 'U02' }), 'start').value).toBe(false);
  });

  it('tell direct messages with the app from those between people', async () => {
    const { caseOf } = policiesWith({ isPrivate: false });
    const kinds = ['public', 'private', 'direct'] as const;
    const rules = kinds.map((kind) => ({ name: kind, conversations: [kind], start: false }));
    await write(rules, 'T4');
    const ruleIn = async (channelId: string) =>
      rulingOn(await caseOf({ ...place, teamId: 'T4', channelId }), 'start').rule?.name;
    expect(await ruleIn('C01')).toBe('public');
    expect(await ruleIn('D0APP')).toBe('direct');
    for (const between of ['D0OTHERS', 'C0GROUP']) expect(await ruleIn(between)).toBe('private');
  });

  it("reject while Slack doesn't say who is in a group, or what a channel is", async () => {
    for (const world of [{ isPrivate: false }, { members: ['U01'] }]) {
      const ruling = rulingOn(await policiesWith(world).caseOf(place), 'start');
      expect(ruling).toMatchObject({ isUnknown: true, rule: { name: 'Open' } });
    }
    const hanging = policiesWith({ members: ['U01'] });
    expect(rulingOn(await hanging.caseOf(place, 1), 'start').isUnknown).toBe(true);
  });

  it('ask Slack again when a group changed, whichever replica heard of it', async () => {
    const world: SlackAnswers = { members: ['U01'], isPrivate: false };
    const { caseOf } = policiesWith(world);
    expect(rulingOn(await caseOf(place), 'start').value).toBe(true);
    world.members = [];
    expect(rulingOn(await caseOf(place), 'start').value).toBe(true);
    await settings().write(policyOwner('T1'), 'user-groups.last-change', 'Ev1');
    expect(rulingOn(await caseOf(place), 'start').value).toBe(false);
  });

  it('come from a file if there is one, which the audit log notes once for all replicas', async () => {
    const file = [{ name: 'From a file', start: false }];
    const replicas = [policiesWith({}, file), policiesWith({}, file)];
    for (const { read } of [...replicas, ...replicas])
      expect(await read('T1')).toMatchObject({ rules: file, isFromFile: true });
    await policiesWith({}, [closed]).read('T1');
    const audit = createAudit(database());
    const noted = await audit.list({ teamId: 'T1', actorId: 'system' }, 10);
    const short = noted.map(
      ({ action, entity, details }) => `${details.source} ${action} ${entity.id}`,
    );
    expect(short.toSorted()).toEqual([
      'POLICY_FILE rule_added Closed',
      'POLICY_FILE rule_added From a file',
      'POLICY_FILE rule_removed From a file',
    ]);
  });

  it.each([
    ['the file leaves the workspace to its admins', true],
    ['POLICY_FILE is removed', false],
  ])('are noted as removed when %s, once', async (_, isInUse) => {
    const teamId = `T-${isInUse}`;
    const audit = createAudit(database());
    const files = [[closed], undefined, undefined];
    for (const file of files)
      await policiesWith({}, file, { isInUse: file ? true : isInUse }).read(teamId);
    const noted = await audit.list({ teamId }, 10);
    expect(
      noted.map(({ actorId, action, details }) => `${actorId} ${details.source} ${action}`),
    ).toEqual(['system POLICY_FILE rule_removed', 'system POLICY_FILE rule_added']);
    expect(await settings().read(policyOwner(teamId), 'policy.rules')).toBeUndefined();
  });

  it('leave nothing behind where there never was a file', async () => {
    await policiesWith({}).read('T5');
    expect(await settings().read(policyOwner('T5'), 'policy.file')).toBeUndefined();
  });

  it('makes admins of those whom the file names, by person and by group, as far as Slack says', async () => {
    const world: SlackAnswers = { members: ['U02'] };
    const { namesAdmin } = policiesWith(world, []);
    const names = (userId: string) => namesAdmin({ teamId: 'T1', userId });
    expect(await Promise.all(['U01', 'U02', 'U03'].map(names))).toEqual([true, true, false]);
    const silent = policiesWith({}, []);
    expect(await silent.namesAdmin({ teamId: 'T1', userId: 'U02' })).toBe(false);
    const without = policiesWith(world);
    expect(await without.namesAdmin({ teamId: 'T1', userId: 'U01' })).toBe(false);
  });
});
