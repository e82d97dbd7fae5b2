import { describe, expect, it } from 'vitest';
import type { Ruling } from '../../../src/policy/ruling.ts';
import {
  type Actor,
  denyCancel,
  denyFollowUp,
  denyKeys,
  denyPreset,
  denyPublish,
  denySee,
  denySettings,
  denyStart,
  denyStartOf,
  type PresetFacts,
  type Role,
} from '../../../src/slack/people/permissions.ts';
import type { Scope } from '../../../src/store/people/settings.ts';

const anActor = (role: Role, isAdmin = false): Actor => ({ role, isAdmin });
const admin = anActor('member', true);
const roles: readonly Role[] = ['member', 'guest', 'external', 'bot', 'deactivated', 'unknown'];

/** Pattern for the sentence that denies the action. Undefined if the person can do it. */
type Expected = RegExp | undefined;

function expectDenial(denial: string | undefined, expected: Expected): void {
  if (expected) expect(denial).toMatch(expected);
  else expect(denial).toBeUndefined();
}

const ask = 'a workspace admin';
const rule = { name: 'Some' };
/** Rulings by the value of the rule that applies. */
const rulings = {
  nothing: { ask },
  yes: { ask, rule, value: true },
  no: { ask, rule, value: false },
  unknown: { ask, rule, isUnknown: true },
} satisfies Record<string, Ruling<boolean>>;

const unsure = /^Slack can't say who you are/;

describe('starting, seeing and following up', () => {
  it.each<[Role, Expected, Expected, Expected]>([
    ['member', undefined, undefined, undefined],
    ['guest', /^Guests can't start/, /^Guests can't see/, /^Guests can't send/],
    ['external', /^Only members/, /^Only members/, /^Only members/],
    ['bot', /^Bots can't start/, /^Bots can't see/, /^Bots can't send/],
    ['deactivated', /^Deactivated/, /^Deactivated/, /^Deactivated/],
    ['unknown', /so nothing was started/, /so no runs are shown/, /so nothing was sent/],
  ])('%s', (role, start, see, followUp) => {
    expectDenial(denyStart(anActor(role)), start);
    expectDenial(denySee(anActor(role)), see);
    expectDenial(denyFollowUp(anActor(role)), followUp);
  });
});

describe('what someone else can start', () => {
  it.each<[Role, Expected]>([
    ['member', undefined],
    ['guest', /^Guests can't start/],
    ['unknown', /^Slack didn't say who this is\. Try again/],
  ])('%s', (role, expected) => expectDenial(denyStartOf(anActor(role)), expected));
});

describe("what uses someone else's keys", () => {
  it.each<['keys' | 'unknown', keyof typeof rulings, RegExp]>([
    ['keys', 'nothing', /^This run uses <@U1>'s keys, so only they can message it\.$/],
    ['keys', 'no', /^The rule "Some" blocks this\. This run uses <@U1>'s keys/],
    ['unknown', 'unknown', /^Slack didn't say if the rule "Some" applies to you/],
  ])('is rejected (%s, rules say %s)', (denied, says, sentence) => {
    const facts = { creatorId: 'U1', rule: rulings[says] };
    expect(denyKeys(denied, 'message', facts)).toMatch(sentence);
  });
});

describe('canceling', () => {
  const facts = { creatorId: 'U1', isCreator: false, isByWorkflow: false, policy: { ask } };
  const onlyCreator = /^The rule "Some" blocks this. Only <@U1>, who started this run, can do that/;
  const orAdmins = /^Only <@U1>, who started this run, and workspace admins/;
  const notSure = /^Slack didn't say if the rule "Some" applies to you/;

  it.each(roles)('is always open to the creator (%s)', (role) => {
    const own = { ...facts, isCreator: true, policy: rulings.no };
    expectDenial(denyCancel(anActor(role), own), undefined);
  });

  it.each<[keyof typeof rulings, string, Actor, Expected]>([
    ['no', 'an admin', admin, onlyCreator],
    ['no', 'a member', anActor('member'), onlyCreator],
    ['no', 'an unknown person', anActor('unknown'), unsure],
    ['nothing', 'an admin', admin, undefined],
    ['nothing', 'a member', anActor('member'), orAdmins],
    ['nothing', 'a guest', anActor('guest'), orAdmins],
    ['nothing', 'an unknown person', anActor('unknown'), unsure],
    ['yes', 'an admin', admin, undefined],
    ['yes', 'a member', anActor('member'), undefined],
    ['yes', 'a guest', anActor('guest'), /^Only members/],
    ['yes', 'someone external', anActor('external'), /^Only members/],
    ['yes', 'an unknown person', anActor('unknown'), unsure],
    ['unknown', 'an admin', admin, notSure],
    ['unknown', 'a member', anActor('member'), notSure],
  ])('where rules say %s: %s', (says, _, actor, expected) => {
    expectDenial(denyCancel(actor, { ...facts, policy: rulings[says] }), expected);
  });

  it("lets admins cancel a workflow's run even if a rule leaves it to creators", () => {
    const byWorkflow = { ...facts, policy: rulings.no, isByWorkflow: true };
    expectDenial(denyCancel(admin, byWorkflow), undefined);
    expectDenial(denyCancel(anActor('member'), byWorkflow), orAdmins);
  });
});

describe('publishing changes and merging', () => {
  const facts = { creatorId: 'U1', isByWorkflow: false, policy: { ask } };
  const decide = (actor: Actor, isCreator = false) => denyPublish(actor, { ...facts, isCreator });

  it.each<[string, Actor, Expected]>([
    ['an admin', admin, undefined],
    ['a member', anActor('member'), /^Only <@U1>, who started this run, and/],
    ['a guest', anActor('guest'), /^Guests can't publish changes/],
    ['someone external', anActor('external'), /^Only members/],
    ['an unknown person', anActor('unknown'), unsure],
  ])("is for admins, among other people's runs: %s", (_, actor, expected) => {
    expectDenial(decide(actor), expected);
  });

  it('is for others whom a rule allows it, but no guests', () => {
    const allowed = { ...facts, isCreator: false, policy: rulings.yes };
    expectDenial(denyPublish(anActor('member'), allowed), undefined);
    expectDenial(denyPublish(anActor('guest'), allowed), /^Guests/);
  });

  it.each<[Role, Expected]>([
    ['member', undefined],
    ['guest', /^Guests/],
    ['deactivated', /^Deactivated/],
  ])('a creator needs to be a full member by now (%s)', (role, expected) => {
    expectDenial(decide(anActor(role), true), expected);
  });
});

describe('changing settings', () => {
  it.each<[Scope, string, Actor, Expected]>([
    ['person', 'a guest', anActor('guest'), undefined],
    ['person', 'an unknown person', anActor('unknown'), undefined],
    ['channel', 'a member', anActor('member'), undefined],
    ['channel', 'a guest', anActor('guest'), /^Only members/],
    ['channel', 'someone external', anActor('external'), /^Only members/],
    ['channel', 'an unknown person', anActor('unknown'), unsure],
    ['workspace', 'an admin', admin, undefined],
    ['workspace', 'a member', anActor('member'), /^Only workspace admins/],
    ['workspace', 'an unknown person', anActor('unknown'), unsure],
  ])('of a %s: %s', (scope, _, actor, expected) => {
    expectDenial(denySettings(actor, scope), expected);
  });
});

describe('saving, changing and sharing presets', () => {
  const mine = { isMaker: true };
  const theirs = { isMaker: false };

  it.each<[Scope, string, Actor, Pick<PresetFacts, 'isMaker'>, Expected]>([
    ['person', 'a guest', anActor('guest'), mine, undefined],
    ['person', 'an unknown person', anActor('unknown'), mine, undefined],
    ['channel', 'its maker', anActor('member'), mine, undefined],
    ['channel', 'another member', anActor('member'), theirs, /^Only admins and the person who/],
    ['channel', 'an admin', admin, theirs, undefined],
    ['channel', 'a guest', anActor('guest'), mine, /^Only members/],
    ['channel', 'someone external', anActor('external'), mine, /^Only members/],
    ['channel', 'an unknown person', anActor('unknown'), mine, unsure],
    ['workspace', 'an admin', admin, theirs, undefined],
    ['workspace', 'its maker', anActor('member'), mine, /^Only workspace admins/],
    ['workspace', 'an unknown person', anActor('unknown'), mine, unsure],
  ])('of a %s: %s', (scope, _, actor, facts, expected) => {
    expectDenial(denyPreset(actor, { scope, ...facts }), expected);
  });
});
