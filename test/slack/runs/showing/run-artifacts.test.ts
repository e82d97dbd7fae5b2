import { describe, expect, it } from 'vitest';
import {
  listArtifacts,
  patchOf,
  renderArtifacts,
} from '../../../../src/slack/runs/showing/run-artifacts.ts';
import { aRun } from '../../../support/builders.ts';
import { textOf } from '../../../support/product/product.ts';

const artifact = (artifact_type: string, data: Record<string, unknown> = {}) => ({
  artifact_type,
  data,
});
const patch = (uid: unknown) =>
  artifact('FILE', { artifact_uid: uid, filename: 'changes.patch', mime_type: 'text/x-diff' });

type Artifacts = ReturnType<typeof artifact>[];
const listed = (artifacts: Artifacts, most = 10) => listArtifacts(aRun({ artifacts }), most).listed;

describe('the artifacts of a run', () => {
  it('are listed in the order of what people look for, without pull requests and the patch', () => {
    const found = [artifact('HOLOGRAM'), artifact('FILE', { name: 'a.txt' }), artifact('PLAN')];
    const artifacts = [patch('a1'), artifact('PULL_REQUEST'), ...found];
    expect(listed(artifacts)).toMatchObject([
      { word: 'Plan' },
      { word: 'File', label: 'a.txt' },
      { word: 'HOLOGRAM' },
    ]);
  });

  it('show no secrets in names that an agent gave', () => {
    const artifacts = [artifact('FILE', { name: `ghp_${'a1B2'.repeat(9)}.txt` })];
    expect(listed(artifacts)).toMatchObject([{ label: '[masked secret 1].txt' }]);
  });

  it('show where a link leads, whatever an agent calls it', () => {
    const labelOf = (title: string) => {
      const link = artifact('EXTERNAL_REFERENCE', { title, url: 'https://evil.example/login' });
      return listed([link])[0]?.label;
    };
    expect(labelOf('github.com')).toBe('github.com (evil.example)');
    expect(labelOf('g'.repeat(200))).toMatch(/ \(evil\.example\)$/);
  });

  it('are as many as are asked for, and count the others without a plan that is shown', () => {
    const [plan, files] = [artifact('PLAN'), [artifact('FILE'), artifact('FILE')]];
    const run = aRun({ artifacts: [plan, ...files] });
    expect(listArtifacts(run, 1)).toMatchObject({ listed: [{ word: 'Plan' }], left: 2 });
    const others = { listed: [{ word: 'File' }], left: 1 };
    expect(listArtifacts(run, 1, { isPlanShown: true })).toMatchObject(others);
  });

  it('are cut after three, with a count of the others', () => {
    const artifacts = Array.from({ length: 20 }, (_, index) =>
      artifact('FILE', { name: `${index}.txt` }),
    );
    const shown = textOf(renderArtifacts(aRun({ artifacts })));
    expect(shown).toContain('`2.txt`');
    expect(shown).not.toContain('`3.txt`');
    expect(shown).toContain('… 17 more in Details');
  });

  it('have the patch, if the service says which one it is', () => {
    expect(patchOf(aRun({ artifacts: [artifact('FILE'), patch('a1')] }))).toEqual({ uid: 'a1' });
    expect(patchOf(aRun({ artifacts: [patch(5), patch('')] }))).toBeUndefined();
    const other = artifact('FILE', { artifact_uid: 'a2', filename: 'changes.patch' });
    expect(patchOf(aRun({ artifacts: [other] }))).toBeUndefined();
  });

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['a long address', `https://example.com/${'x'.repeat(600)}`],
    ['a number', 5],
  ])('are named but not linked when the address is %s', (_, url) => {
    const shown = renderArtifacts(
      aRun({ artifacts: [artifact('PLAN', { title: 'Plan A', url })] }),
    );
    expect(textOf(shown)).toContain('`Plan A');
    expect(textOf(shown)).not.toContain('<');
  });

  it('leave out a plan without an address of its own, if the agent reported its steps', () => {
    const agent_progress = { plan: [{ title: 'Look', state: 'completed' }] };
    const own = artifact('PLAN', { title: 'Plan A', url: 'https://docs.example.com/plan' });
    const artifacts = [artifact('PLAN', { title: 'Plan B', artifact_uid: 'p1' }), own];
    expect(textOf(renderArtifacts(aRun({ artifacts })))).toContain('Plan B');
    const shown = textOf(renderArtifacts(aRun({ artifacts, agent_progress })));
    expect(shown).not.toContain('Plan B');
    expect(shown).toContain('Plan A');
  });

  it('add nothing when there are none', () => {
    expect(renderArtifacts(aRun())).toEqual([]);
    expect(renderArtifacts(null)).toEqual([]);
  });
});
