import { describe, expect, it } from 'vitest';
import { authorize, continuedIn } from '../../src/requests/authority.ts';

const [creator, other] = ['U1', 'U2'];

describe('the keys that apply to what someone does with a run', () => {
  it.each([
    // Columns: actor, uses own keys, creator allows it, a rule's value.
    [creator, false, false, undefined, { actorId: creator, keysOf: null }],
    [creator, true, false, undefined, { actorId: creator, keysOf: creator }],
    [creator, true, false, false, { actorId: creator, keysOf: creator }],
    [creator, true, false, 'unknown', { actorId: creator, keysOf: creator }],
    [other, false, false, undefined, { actorId: other, keysOf: null }],
    [other, false, false, 'unknown', { actorId: other, keysOf: null }],
    [other, true, false, undefined, { denied: 'keys' }],
    [other, true, true, undefined, { actorId: other, keysOf: creator }],
    [other, true, false, true, { actorId: other, keysOf: creator }],
    [other, true, true, false, { denied: 'keys' }],
    [other, true, true, 'unknown', { denied: 'unknown' }],
  ] as const)(
    '%s, own keys: %s, allowed: %s, rule: %s',
    (actorId, usesOwnKeys, isAllowed, rule, decided) => {
      const facts = { actorId, creatorId: creator, usesOwnKeys, isAllowed, rule };
      expect(authorize(facts)).toEqual(decided);
    },
  );
});

describe('a conversation', () => {
  const conversation = { id: 'c', channelId: 'C1', connectionId: 'default' };

  it.each([
    ['where it began', {}, true],
    ['in another channel', { channelId: 'C2' }, false],
    ['with another key', { connectionId: 'default/T1/U1' }, false],
  ])('%s', (_, changes, continues) => {
    const place = { channelId: 'C1', connectionId: 'default', ...changes };
    expect(continuedIn(conversation, place) !== undefined).toBe(continues);
  });
});
