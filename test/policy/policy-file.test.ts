import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLineLogger } from '../../packages/base/test/support/line-logger.ts';
import { temporaryFolder } from '../../packages/runs-service/test/support/runs-service.ts';
import { openPolicyFile, readPolicyFile } from '../../src/policy/policy-file.ts';

const closed = 'rules:\n  - name: Closed\n    start: false\n';

function written(text: string): string {
  const file = join(temporaryFolder(), 'policy.yml');
  writeFileSync(file, text);
  return file;
}

describe('a file of rules', () => {
  it('is for every workspace, or for those that it names', () => {
    const open = (text: string) => openPolicyFile(written(text), createLineLogger().logger);
    const named = 'workspaces:\n  T01: { rules: [{ name: One, start: true }] }\n';
    expect(open(closed).rulesOf('T01')).toEqual([{ name: 'Closed', start: false }]);
    expect(open(named).rulesOf('T01')).toEqual([{ name: 'One', start: true }]);
    expect(open(named).rulesOf('T02')).toBeUndefined();
    expect(open(closed + named).rulesOf('T01')).toEqual([{ name: 'One', start: true }]);
    expect(open(closed + named).rulesOf('T02')).toEqual([{ name: 'Closed', start: false }]);
    expect(open('workspaces: { T01: { rules: [] } }').rulesOf('T01')).toEqual([]);
  });

  it('names admins of every workspace, or of those that it names, and can leave the rules to them', () => {
    const open = (text: string) => openPolicyFile(written(text), createLineLogger().logger);
    const all = 'admins: { people: [U01] }\n';
    const file = open(`${all}workspaces: { T01: { admins: { groups: [S01] } } }`);
    expect(file.adminsOf('T01')).toEqual({ groups: ['S01'] });
    expect(file.adminsOf('T02')).toEqual({ people: ['U01'] });
    expect(file.rulesOf('T01')).toBeUndefined();
    expect(open(closed).adminsOf('T01')).toEqual({});
    expect(open(all + closed).rulesOf('T01')).toEqual([{ name: 'Closed', start: false }]);
  });

  it.each([
    ['admins without people or groups', 'admins: {}', /line 1, admins: must name people or groups/],
    ['an admin by their name', 'admins: { people: [ada] }', /admins\.people\.0: must be the ID/],
    ['a workspace without anything', 'workspaces: { T01: {} }', /workspaces\.T01: needs "rules"/],
    ['an unknown key', `${closed}    strat: true\n`, /line 2, rules\.0: .*strat/],
    [
      'a group by its name',
      `${closed}    groups: ["@oncall"]\n`,
      /line 4, rules\.0\.groups\.0: must/,
    ],
    [
      'two rules of one name',
      closed + closed.slice(7),
      /line 4, rules\.1: is another rule "Closed"/,
    ],
    ['no rules', '{}', /needs "rules"/],
    ['a workspace by its name', 'workspaces: { acme: { rules: [] } }', /ID of a workspace/],
    ['YAML that is none', 'rules: [', /Can't read the policy file/],
  ])('is rejected with %s, by line and key', (_, text, says) => {
    expect(() => readPolicyFile(written(text))).toThrow(says);
  });

  it('is read again when it changes, and keeps its last good rules while it has mistakes', async () => {
    const file = written(closed);
    const { logger, lines } = createLineLogger();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = openPolicyFile(file, logger);
    opened.start();
    onTestFinished(() => opened.stop());
    const names = () => opened.rulesOf('T01')?.map(({ name }) => name);
    const later = <T>(read: () => T) =>
      expect.poll(async () => {
        await vi.advanceTimersByTimeAsync(1_000);
        return read();
      });
    writeFileSync(`${file}.new`, closed.replace('Closed', 'Other'));
    renameSync(`${file}.new`, file);
    await later(names).toEqual(['Other']);
    writeFileSync(file, closed.replace('start', 'strat'));
    await later(opened.problem).toContain('line 2, rules.0');
    expect(names()).toEqual(['Other']);
    expect(JSON.stringify(lines)).toContain('cannot reload the rules');
    rmSync(file);
    await later(opened.problem).toContain('ENOENT');
    expect(names()).toEqual(['Other']);
    writeFileSync(file, closed);
    await later(names).toEqual(['Closed']);
    expect(opened.problem()).toBeUndefined();
  });
});

describe('the page about rules', () => {
  const page = readFileSync(new URL('../../docs/admin.md', import.meta.url), 'utf8');

  it('has examples that can be used', () => {
    const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
    expect(examples).toHaveLength(3);
    for (const example of examples) expect(() => readPolicyFile(written(example))).not.toThrow();
  });
});
