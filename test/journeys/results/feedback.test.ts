import { expect, it } from 'vitest';
import {
  detailsOf,
  rates,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

const engineering = 'C04ENGINEER';

it('people rate the result of a run, change their minds, and see what others said', async () => {
  const product = await startedProduct();
  const { ada, grace, workspace } = product;
  await ada.types(engineering, '/agent run count the notes');
  const message = await runMessageShowing(workspace, 'Succeeded', engineering);
  const shown = textOf(message.blocks);
  expect(await detailsOf(product, ada, message)).not.toContain('Feedback');

  await rates(product, ada, message, 'positive');
  await workspace.faults.inject({ name: 'delivered_twice', kind: 'interactive' });
  await rates(product, grace, message, 'positive');
  await rates(product, grace, message, 'negative');
  await rates(product, grace, message, 'negative');
  expect(await detailsOf(product, grace, message)).toContain(
    '*Feedback*\\nRatings: 1 good, 1 bad\\nYours: bad',
  );

  // Guests in the channel see the message, but can't rate runs.
  await rates(product, workspace.as('sam'), message, 'negative');
  await workspace.until(() =>
    workspace
      .messagesIn(engineering)
      .find((each) => each.visibleTo && textOf(each).includes("Guests can't see agent runs")),
  );
  expect(await detailsOf(product, ada, message)).toContain('Ratings: 1 good, 1 bad\\nYours: good');

  // The run message stays the same after a rating.
  expect(textOf(runMessageIn(workspace, engineering)?.blocks)).toBe(shown);

  // Clicks on forged values change nothing.
  const place = { channelId: engineering, messageTs: message.ts };
  const [option] = (message.blocks ?? [])
    .flatMap((block) => (block['elements'] ?? []) as { options?: { value: string }[] }[])
    .flatMap(({ options = [] }) => options);
  if (!option) throw new Error('there is no menu');
  for (const value of ['good:', 'splendid:r1', `good:${'x'.repeat(140)}`]) {
    option.value = value;
    await workspace.as('alan').clicks(place, 'run-message:menu', value);
  }
  expect(await detailsOf(product, ada, message)).toContain('Ratings: 1 good, 1 bad\\nYours: good');
});
