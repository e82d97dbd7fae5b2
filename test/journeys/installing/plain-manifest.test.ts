import { parseManifest } from 'slack-stand-in/manifest';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { manifestText } from '../../../src/manifest/manifest-command.ts';
import { manifestSource } from '../../support/product/manifest-source.ts';
import { general, runMessageShowing, startProduct, textOf } from '../../support/product/product.ts';

it('an app with the plain manifest works, asks Slack for nothing that it lacks, and logs no trouble', async () => {
  const manifest = parseManifest(parse(manifestText(manifestSource, ['--plain'])));
  const product = await startProduct({}, { manifest });
  const { ada, grace, workspace } = product;
  const { logger, lines } = createLineLogger();
  await product.startBot({}, logger);
  await ada.opensHome();
  await workspace.until(() => textOf(ada.home()?.content).includes('run'));

  for (const round of [1, 2]) {
    await ada.types(general, `/agent run go ${round}`);
    const { ts } = await runMessageShowing(workspace, `done: go ${round}`);
    await workspace.until(() =>
      textOf(workspace.messagesIn(general, { thread: ts }).slice(1)).includes('✅ Succeeded'),
    );
  }
  await grace.types(grace.directChannelId, 'wait for me');
  await runMessageShowing(workspace, 'In progress', grace.directChannelId);
  await ada.types(general, '/agent doctor');
  await workspace.until(() => textOf(ada.sees(general)).includes('No problems found'));
  await workspace.settled();

  const vain = workspace.traffic
    .recent()
    .filter(({ answer }) => /not_authorized|missing_scope|not_agent_app/.test(textOf(answer)));
  expect(vain).toEqual([]);
  expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
});
