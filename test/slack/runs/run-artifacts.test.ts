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
  it('have pull requests first, under the name that people use for them', () => {
    const artifacts = [artifact('HOLOGRAM'), artifact('FILE', { name: 'a.txt' }), pullRequest(12)];
    expect(listArtifacts(aRun({ artifacts }), 10)).toMatchObject([
      { word: 'Pull request', label: 'acme/shop#12 (fix)' },
      { word: 'File', label: 'a.txt' },
      { word: 'HOLOGRAM' },
    ]);
  });

  it('are cut after eight, saying how many more there are', () => {
    const artifacts = Array.from({ length: 20 }, (_, index) => pullRequest(index));
    const shown = textOf(renderArtifacts(aRun({ artifacts })));
    expect(shown).toContain('acme/shop#7');
    expect(shown).not.toContain('acme/shop#8');
    expect(shown).toContain('… and 12 more: see Details');
  });

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['a long address', `https://example.com/${'x'.repeat(400)}`],
    ['a number', 5],
  ])('are named and not linked when the address is %s', (_, url) => {
    const shown = renderArtifacts(
      aRun({ artifacts: [artifact('PLAN', { title: 'Plan A', url })] }),
    );
    expect(textOf(shown)).toContain('Plan A');
    expect(textOf(shown)).not.toContain('"link"');
  });

  it('take no room when there are none', () => {
    expect(renderArtifacts(aRun())).toEqual([]);
    expect(renderArtifacts(null)).toEqual([]);
  });
});
