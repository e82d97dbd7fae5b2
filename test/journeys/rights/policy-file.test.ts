import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from 'slack-stand-in';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../packages/runs-service/test/support/runs-service.ts';
import { clicksTo, opensRules } from '../../support/product/policy.ts';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const rule = (name: string, says: object) => JSON.stringify({ rules: [{ name, ...says }] });

function written(text: string): string {
  const file = join(temporaryFolder(), 'policy.yml');
  writeFileSync(file, text);
  return file;
}

it('rules of a file count, also after it changes, and its mistakes are shown', async () => {
  const policyFile = written(rule('Frozen', { start: false }));
  const { ada, workspace } = await startedProduct({ policyFile });
  const told = (person: Actor, words: string) =>
    workspace.until(() =>
      textOf(person.sees(general).findLast((m) => m.visibleTo)).includes(words),
    );
  await ada.types(general, '/agent run go');
  await told(
    ada,
    'The rule \\"Frozen\\" blocks starting runs. Ask the app\'s operator to change it.',
  );
  await opensRules({ workspace }, ada);
  const list = () => textOf(ada.modal()?.content);
  expect(list()).toContain('*1. Frozen*');
  expect(list()).toContain("the operator's policy file (POLICY_FILE)");
  expect(list()).not.toContain('policy:add');
  expect(list()).not.toContain('policy:edit');
  for (let left = 3; left > 0 && ada.modal(); left -= 1) await ada.closesModal();

  writeFileSync(policyFile, rule('Fair', { active_runs: 1 }));
  const starts = async () => {
    await ada.types(general, '/agent run wait');
    return runMessagesIn(workspace).length;
  };
  await expect.poll(starts, { interval: 1_500 }).toBe(1);
  await ada.types(general, '/agent run more');
  await told(ada, 'The rule \\"Fair\\" allows 1');

  writeFileSync(policyFile, rule('Fair', { strat: false }));
  const shown = async () => {
    await opensRules({ workspace }, ada);
    for (let left = 3; left > 1 && ada.modal(); left -= 1) {
      const text = list();
      if (text.includes('1. Fair')) return text;
      await ada.closesModal();
    }
    return '';
  };
  await expect.poll(shown, { interval: 1_500 }).toMatch(/has mistakes.*strat/);
  await clicksTo({ workspace }, ada, 'policy:try', 'Check permissions');
  await ada.submits({ person: ada.person.id, channel: general });
  await workspace.until(() => list().includes('*1* (rule \\"Fair\\")'));
  await runMessageShowing(workspace, 'In progress');
});

it('a file with mistakes stops the start', async () => {
  const { startBot } = await startProduct();
  const policyFile = written(rule('Frozen', { strat: false }));
  await expect(startBot({ policyFile })).rejects.toThrow(/line 1, rules\.0: .*strat/);
  await expect(startBot({ policyFile: `${policyFile}.gone` })).rejects.toThrow(/ENOENT/);
});
