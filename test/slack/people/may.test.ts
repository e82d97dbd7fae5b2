import { describe, expect, it } from 'vitest';
import {
  type Actor,
  type CancelFacts,
  type PresetFacts,
  type Role,
  refuseCancel,
  refuseFollowUp,
  refusePreset,
  refusePublish,
  refuseSee,
  refuseSettings,
  refuseStart,
  refuseTryAgain,
} from '../../../src/slack/people/may.ts';
import type { Scope } from '../../../src/store/people/settings.ts';

const anActor = (role: Role, isAdmin = false): Actor => ({ role, isAdmin });
const admin = anActor('member', true);
const roles: readonly Role[] = ['member', 'guest', 'external', 'bot', 'deactivated', 'unknown'];

/** What the sentence of a refusal has to contain; undefined for someone who may. */
type Expected = RegExp | undefined;

function expectRefusal(refusal: string | undefined, expected: Expected): void {
  if (expected) expect(refusal).toMatch(expected);
  else expect(refusal).toBeUndefined();
}

const unsure = /^Slack didn't say who you are/;

describe('starting, seeing and following up', () => {
  it.each<[Role, Expected, Expected, Expected]>([
    ['member', undefined, undefined, undefined],
    ['guest', /^Guests can't start/, /^Guests can't see/, /^Guests can't send/],
    ['external', /^Only members/, /^Only members/, /^Only members/],
    ['bot', /^Bots can't start/, /^Bots can't see/, /^Bots can't send/],
    ['deactivated', /^Deactivated/, /^Deactivated/, /^Deactivated/],
    ['unknown', /so nothing was started/, /so no runs are shown/, /so nothing was sent/],
  ])('%s', (role, start, see, followUp) => {
    expectRefusal(refuseStart(anActor(role)), start);
    expectRefusal(refuseSee(anActor(role)), see);
    expectRefusal(refuseFollowUp(anActor(role)), followUp);
  });
});

describe('trying again what did not start', () => {
  it.each<[string, Role, boolean, boolean, Expected]>([
    ['its creator, with keys', 'member', true, true, undefined],
    ['another member, without keys', 'member', false, false, undefined],
    ['another member, with keys', 'member', false, true, /^Only <@U1> can try/],
    ['a guest', 'guest', false, false, /^Guests can't start/],
    ['a creator who is a guest now', 'guest', true, false, /^Guests can't start/],
    ['a creator whom Slack does not describe', 'unknown', true, false, unsure],
  ])('by %s', (_, role, isCreator, hasKeys, expected) => {
    const facts = { creatorId: 'U1', isCreator, hasKeys };
    expectRefusal(refuseTryAgain(anActor(role), facts), expected);
  });
});

describe('canceling', () => {
  const facts: CancelFacts = {
    creatorId: 'U1',
    isCreator: false,
    isByWorkflow: false,
    setting: 'creator and admins',
  };
  const onlyCreator = /^Only <@U1> can do that/;
  const orAdmins = /^Only <@U1>, who started this run, and workspace admins/;

  it.each(roles)('is always open to the creator (%s)', (role) => {
    expectRefusal(refuseCancel(anActor(role), { ...facts, isCreator: true }), undefined);
  });

  it.each<[CancelFacts['setting'], string, Actor, Expected]>([
    ['creator', 'an admin', admin, onlyCreator],
    ['creator', 'a member', anActor('member'), onlyCreator],
    ['creator', 'an unknown person', anActor('unknown'), unsure],
    ['creator and admins', 'an admin', admin, undefined],
    ['creator and admins', 'a member', anActor('member'), orAdmins],
    ['creator and admins', 'a guest', anActor('guest'), orAdmins],
    ['creator and admins', 'an unknown person', anActor('unknown'), unsure],
    ['anyone', 'an admin', admin, undefined],
    ['anyone', 'a member', anActor('member'), undefined],
    ['anyone', 'a guest', anActor('guest'), /^Only members/],
    ['anyone', 'someone external', anActor('external'), /^Only members/],
    ['anyone', 'an unknown person', anActor('unknown'), unsure],
  ])('with the setting "%s": %s', (setting, _, actor, expected) => {
    expectRefusal(refuseCancel(actor, { ...facts, setting }), expected);
  });

  it("lets admins cancel a workflow's run even if the setting names only creators", () => {
    const byWorkflow = { ...facts, setting: 'creator', isByWorkflow: true } as const;
    expectRefusal(refuseCancel(admin, byWorkflow), undefined);
    expectRefusal(refuseCancel(anActor('member'), byWorkflow), orAdmins);
  });
});

describe('publishing changes and merging', () => {
  const facts = { creatorId: 'U1', isByWorkflow: false, setting: 'anyone' } as const;
  const decide = (actor: Actor, isMerge: boolean, isCreator = false) =>
    refusePublish(actor, { ...facts, isMerge, isCreator });

  it.each<[string, Actor, publish: Expected, merge: Expected]>([
    ['an admin', admin, undefined, undefined],
    ['a member', anActor('member'), undefined, /^Only <@U1>, who started this run, and/],
    ['a guest', anActor('guest'), /^Guests can't publish changes/, /^Guests/],
    ['someone external', anActor('external'), /^Only members/, /^Only members/],
    ['an unknown person', anActor('unknown'), unsure, unsure],
  ])('%s may do less than cancel where anyone may cancel', (_, actor, publish, merge) => {
    expectRefusal(decide(actor, false), publish);
    expectRefusal(decide(actor, true), merge);
  });

  it.each<[Role, Expected]>([
    ['member', undefined],
    ['guest', /^Guests/],
    ['deactivated', /^Deactivated/],
  ])('a creator needs to be a full member by now (%s)', (role, expected) => {
    expectRefusal(decide(anActor(role), false, true), expected);
    expectRefusal(decide(anActor(role), true, true), expected);
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
    expectRefusal(refuseSettings(actor, scope), expected);
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
    expectRefusal(refusePreset(actor, { scope, ...facts }), expected);
  });
});
