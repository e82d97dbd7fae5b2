import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fill, mountSmallDisk } from '../../../packages/base/test/support/small-disk.ts';
import {
  general,
  opensModal,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
} from '../../support/product/product.ts';

const notSaved = "Couldn't save this. Nothing was started. Try again in a minute.";

it('on a full disk, commands and forms are answered that nothing was started, and work once there is space', async () => {
  const disk = mountSmallDisk(8_000);
  const product = await startedProduct({ databaseUrl: `sqlite:${join(disk, 'bot.db')}` });
  const { ada, workspace } = product;
  await opensModal(product, ada);
  const filler = fill(disk);
  await ada.types(general, '/agent run in vain');
  const told = () => ada.sees(general).map(({ text }) => text);
  expect(told().filter((text) => text.includes(notSaved))).toHaveLength(1);
  expect(told().join()).toContain('> /agent run in vain');
  const form = { prompt: 'once', channel: general };
  expect((await ada.submits(form)).errors).toEqual({ prompt: notSaved });
  rmSync(filler);
  expect(await ada.submits(form)).toEqual({});
  await runMessageShowing(workspace, 'done: once');
  await workspace.settled();
  expect(runMessagesIn(workspace)).toHaveLength(1);
  expect(told().join()).not.toContain('The app hit an error');
});
