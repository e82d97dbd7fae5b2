import { describe, expect, it } from 'vitest';
import { listArtifacts, renderArtifacts } from '../../../src/slack/runs/run-artifacts.ts';
import { aRun } from '../../support/builders.ts';
import { textOf } from '../../support/product.ts';

const artifact = (artifact_type: string, data: Record<string, unknown> = {}) => ({
  artifact_type,
  data,
});
const pullRequest = (number: number) =>
  artifact('PULL_REQUEST', { url: `https://github.com/acme/shop/pull/${number}`, branch: 'fix' });

describe('the artifacts of a run', () => {
  it('have pull requests first, named as people write them', () => {
    const artifacts = [artifact('HOLOGRAM'), artifact('FILE', { name: 'a.txt' }), pullRequest(12)];
    expect(listArtifacts(aRun({ artifacts }), 10)).toMatchObject([
      { word: 'Pull request', label: 'acme/shop#12 (fix)' },
      { word: 'File', label: 'a.txt' },
      { word: 'HOLOGRAM' },
    ]);
  });

  it('are cut after three, with a count of the others', () => {
    const artifacts = Array.from({ length: 20 }, (_, index) => pullRequest(index));
    const shown = textOf(renderArtifacts(aRun({ artifacts })));
    expect(shown).toContain('acme/shop#2');
    expect(shown).not.toContain('acme/shop#3');
    expect(shown).toContain('… 17 more in Details');
  });

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['a long address', `https://example.com/${'x'.repeat(600)}`],
    ['a number', 5],
  ])('are named but not linked when the address is %s', (_, url) => {
    const shown = renderArtifacts(
      aRun({ artifacts: [artifact('PLAN', { title: 'Plan A', url })] }),
    );
    expect(textOf(shown)).toContain('`Plan A`');
    expect(textOf(shown)).not.toContain('<');
  });

  it('add nothing when there are none', () => {
    expect(renderArtifacts(aRun())).toEqual([]);
    expect(renderArtifacts(null)).toEqual([]);
  });
});
