import type { RunLimits } from 'runs-client/run-limits';
import { describe, expect, it } from 'vitest';
import { capsOfRun } from '../../../src/gateway/caps/caps-of-run.ts';
import type { StoredLimits } from '../../../src/gateway/caps/stored-limits.ts';

const ada = { type: 'user', uid: 'ada@example.com', display_name: 'Ada' };
const bot = { type: 'service_account', uid: 'slash-agent', display_name: 'slash-agent' };

const run = (limits: StoredLimits | undefined, creator = bot) => ({
  id: 'r1',
  creator_json: JSON.stringify(creator),
  limits_json: limits === undefined ? null : JSON.stringify(limits),
});
const website = { id: 'website' };
const slack: RunLimits = { workspace: 'T1', person: 'U1', channel: 'C1' };

describe('the caps of a run', () => {
  it('have the labels of the request as their keys', () => {
    const caps: RunLimits['caps'] = [
      { scope: 'run', usd: 5, per: 'run' },
      { scope: 'person', usd: 20, per: 'day', name: 'Ada' },
      { scope: 'channel', usd: 50, per: 'week', name: '#backend', time_zone: 'Europe/Berlin' },
      { scope: 'group', usd: 0.1, per: 'month', group: 'S1', name: '@web' },
      { scope: 'group', usd: 0.2, per: 'month', group: 'S2' },
      { scope: 'environment', usd: 0.3, per: 'month' },
      { scope: 'workspace', usd: 1000, per: 'month' },
    ];
    const found = capsOfRun(run({ ...slack, caps }), website);
    expect(
      found.caps.map(({ key, limitMicros, per, name }) => [key, limitMicros, per, name]),
    ).toEqual([
      ['run:r1', 5_000_000, 'run', undefined],
      ['person:T1/U1', 20_000_000, 'day', 'Ada'],
      ['channel:T1/C1', 50_000_000, 'week', '#backend'],
      ['group:T1/S1', 100_000, 'month', '@web'],
      ['group:T1/S2', 200_000, 'month', undefined],
      ['environment:website', 300_000, 'month', 'website'],
      ['workspace:T1', 1_000_000_000, 'month', undefined],
    ]);
    expect(found.caps[2]).toMatchObject({ timeZone: 'Europe/Berlin', setBy: 'caller' });
    for (const { key } of found.caps) expect(found.spendKeys).toContain(key);
    expect(found.labels).toEqual({ workspace: 'T1', person: 'U1', channel: 'C1' });
  });

  it('include those of the environments file', () => {
    const environment = {
      ...website,
      timeZone: 'Asia/Tokyo',
      caps: [
        { scope: 'person', usd: 10, per: 'day' },
        { scope: 'channel', usd: 30, per: 'day' },
        { scope: 'run', usd: 2, per: 'run' },
      ] as const,
    };
    const found = capsOfRun(
      run({ ...slack, caps: [{ scope: 'person', usd: 5, per: 'day', name: 'Ada' }] }),
      environment,
    );
    expect(found.caps.map(({ key, setBy, name }) => [key, setBy, name])).toEqual([
      ['person:T1/U1', 'operator', 'Ada'],
      ['channel:T1/C1', 'operator', undefined],
      ['run:r1', 'operator', undefined],
      ['person:T1/U1', 'caller', 'Ada'],
    ]);
    expect(found.caps[0]?.timeZone).toBe('Asia/Tokyo');
  });

  it('count the creator of the run if the request names no person', () => {
    const environment = { ...website, caps: [{ scope: 'person', usd: 10, per: 'day' }] as const };
    for (const creator of [ada, bot]) {
      const found = capsOfRun(run(undefined, creator), environment);
      expect(found.caps).toMatchObject([
        { key: `person:${creator.uid}`, name: creator.display_name },
      ]);
      expect(found.spendKeys).toEqual(['run:r1', 'environment:website', `person:${creator.uid}`]);
      expect(found.labels).toEqual({
        workspace: undefined,
        person: creator.uid,
        channel: undefined,
      });
    }
  });

  it('count a creator who is a person even if the request names someone else', () => {
    const environment = { ...website, caps: [{ scope: 'person', usd: 10, per: 'day' }] as const };
    const found = capsOfRun(run(slack, ada), environment);
    expect(found.caps.map(({ key }) => key)).toEqual(['person:T1/U1', 'person:ada@example.com']);
  });

  it('of a key without access to all runs have counters of its owner, except for the operator', () => {
    const ci = { type: 'service_account', uid: 'ci', display_name: 'CI' };
    const per = 'day' as const;
    const environment = {
      ...website,
      caps: [
        { scope: 'run', usd: 2, per: 'run' },
        { scope: 'environment', usd: 10, per },
        { scope: 'person', usd: 10, per },
        { scope: 'channel', usd: 10, per },
        { scope: 'workspace', usd: 10, per },
      ] as const,
    };
    const caps: RunLimits['caps'] = [
      { scope: 'run', usd: 5, per: 'run' },
      { scope: 'environment', usd: 9, per },
      { scope: 'person', usd: 9, per },
      { scope: 'group', usd: 9, per, group: 'S1' },
      { scope: 'group', usd: 8, per, group: 'S2' },
    ];
    const apart = { counted_apart_for: 'service_account ci' };
    const found = capsOfRun(run({ ...slack, caps, ...apart }, ci), environment);
    expect(found.caps.map(({ setBy, key }) => [setBy, key])).toEqual([
      ['operator', 'run:r1'],
      ['operator', 'environment:website'],
      ['operator', 'person:ci'],
      ['operator', 'own:channel:C1/T1/service_account ci'],
      ['operator', 'own:workspace:T1/service_account ci'],
      ['caller', 'run:r1'],
      ['caller', 'own:environment:website/service_account ci'],
      ['caller', 'own:person:U1/T1/service_account ci'],
      ['caller', 'own:group:S1/T1/service_account ci'],
      ['caller', 'own:group:S2/T1/service_account ci'],
    ]);
    expect([...found.spendKeys].sort()).toEqual(
      [...new Set(found.caps.map(({ key }) => key))].sort(),
    );
    // Reports show the calls to everyone who sees all runs.
    expect(found.labels).toEqual({ workspace: undefined, person: 'ci', channel: undefined });
    // Without labels, the operator's caps of channels and workspaces have nothing to count.
    const bare = capsOfRun(
      run({ caps: [{ scope: 'person', usd: 9, per }], ...apart }, ci),
      environment,
    );
    expect(bare.caps.map(({ key }) => key)).toEqual([
      'run:r1',
      'environment:website',
      'person:ci',
      'own:person:ci/service_account ci',
    ]);
  });
});
