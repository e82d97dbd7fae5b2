import { describe, expect, it } from 'vitest';
import { pullRequestTexts } from '../../../src/runs-service/publishing/publish-texts.ts';
import { harmless } from '../../../src/runs-service/publishing/templates.ts';
import type { ServiceRun } from '../../../src/store/service/runs/service-runs.ts';

const shown = (text: string) => harmless(text).replaceAll('\u200b', '·');

describe('what an agent says in a pull request', () => {
  it.each([
    ['Ask @octocat and @acme/admins', 'Ask @·octocat and @·acme/admins'],
    ['&#64;octocat &#x40;a &commat;b @&#111;c', '&·#64;octocat &·#x40;a &·commat;b @·&·#111;c'],
    ['Fixes #12', 'F·ixes #12'],
    ['closes: acme/app#3, RESOLVED GH-4', 'c·loses: acme/app#3, R·ESOLVED GH-4'],
    ['fix https://github.com/acme/app/issues/5', 'f·ix https://github.com/acme/app/issues/5'],
    ['@\u202aoctocat fi\u202axes #1', '@·octocat f·ixes #1'],
    ['Closing issue 7 and implements  #8', 'C·losing issue 7 and i·mplements  #8'],
    ['Fixes &#35;9', 'F·ixes &·#35;9'],
  ])('cannot notify people or close issues: %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    'See #12 and `fix` in a & b.',
    'It fixes the prefix of 3 files, e.g. a@ b.',
    'Fix the test\n\n# 2 changes',
  ])('otherwise stays as it is: %s', (text) => {
    expect(shown(text)).toBe(text);
  });

  it('has the name of the creator, who could be called like a team', () => {
    const run = {
      id: 'r',
      conversation_id: 'c',
      title: 'T',
      prompt: 'p',
      environment_id: 'e',
      creator_json: JSON.stringify({ display_name: '@acme/admins' }),
    } as ServiceRun;
    const { body } = pullRequestTexts({}, run, 'Fixes #1, @octocat', {});
    expect(body.replaceAll('\u200b', '·')).toBe(
      'F·ixes #1, @·octocat\n\n---\nRun r in e, requested by @·acme/admins.',
    );
  });

  it('takes no long time, however hostile it is', () => {
    expect(harmless('fix: '.repeat(20_000))).toHaveLength(100_000);
    expect(harmless(`fix ${'x'.repeat(100_000)}`)).toHaveLength(100_004);
    expect(harmless(`fix${' '.repeat(100_000)}`)).toHaveLength(100_003);
    expect(harmless('fix:'.repeat(25_000))).toHaveLength(100_000);
  });
});
