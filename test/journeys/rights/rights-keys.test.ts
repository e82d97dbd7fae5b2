import type { Actor } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import {
  detailsOf,
  general,
  held,
  opensModal,
  picks,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { clientOf } from '../../support/runs-service.ts';

const key = 'hush-hush-1';
const servers = JSON.stringify({ docs: { url: 'https://mcp.example.com', headers: { A: key } } });

/** Ada has run something with a key of hers. */
async function adaHasRunWithAKey() {
  const product = await startedProduct();
  const { ada, workspace, service } = product;
  await opensModal(product, ada, '/agent model=small title="With a key" go');
  expect(await ada.submits({ mcp_servers: servers })).toEqual({});
  const message = await runMessageShowing(workspace, 'Succeeded');
  const place = { channelId: general, messageTs: message.ts };
  return {
    ...product,
    message,
    place,
    /** The configuration of the newest run that the service got. */
    async sent() {
      const answer = await clientOf(service.apiUrl).request('/agent/runs');
      const { runs } = (await answer.json()) as { runs: { agent_config: object }[] };
      return textOf(runs[0]?.agent_config);
    },
    opensForm: async (person: Actor) =>
      workspace.until(() => {
        const view = person.modal();
        return view && textOf(view.content).includes('keys belong to') ? view : undefined;
      }),
  };
}

describe("the keys of another person's run", () => {
  it('are left out when it is run again, and the form says so', async () => {
    const { grace, workspace, place, opensForm, sent } = await adaHasRunWithAKey();
    expect(await sent()).toContain(key);
    await grace.clicks(place, 'run:again');
    await opensForm(grace);
    expect(held(grace, 'mcp_servers')?.['value'] ?? '').toBe('');
    expect(await grace.submits({ title: 'Again by Grace' })).toEqual({});
    await runMessageShowing(workspace, 'Again by Grace');
    await runMessageShowing(workspace, 'Succeeded');
    expect(await sent()).not.toContain('mcp.example.com');
  });

  it("can't be brought back by typing what another form shows", async () => {
    const { grace, place, workspace, opensForm } = await adaHasRunWithAKey();
    await picks({ workspace }, grace, place, 'Run again with changes');
    await opensForm(grace);
    const { errors } = await grace.submits({ mcp_servers: servers.replace(key, '(not shown)') });
    expect(errors?.['mcp_servers']).toContain('(not shown)');
  });

  it('are left out of a preset that is saved from it', async () => {
    const product = await adaHasRunWithAKey();
    const { grace, message, workspace, sent } = product;
    await detailsOf(product, grace, message);
    await grace.clicks({ channelId: general, messageTs: message.ts }, 'run:details');
    const details = await workspace.until(() => grace.modal());
    await grace.clicks({ view: details }, 'run:save-preset');
    await workspace.until(() => textOf(grace.modal()?.content).includes('without the prompt'));
    await grace.submits({ save_as: 'mine' });
    await grace.closesModal();
    await grace.types(general, '/agent run preset=mine title="By preset" go');
    await runMessageShowing(workspace, 'By preset');
    await runMessageShowing(workspace, 'Succeeded');
    expect(await sent()).toContain('small');
    expect(await sent()).not.toContain('mcp.example.com');
  });
});

it('keeps the keys of your own run when you run it again', async () => {
  const { ada, workspace, place, sent } = await adaHasRunWithAKey();
  await picks({ workspace }, ada, place, 'Run again with changes');
  await workspace.until(() => textOf(held(ada, 'mcp_servers')).includes('(not shown)'));
  expect(await ada.submits({ title: 'Again by Ada' })).toEqual({});
  await runMessageShowing(workspace, 'Again by Ada');
  await runMessageShowing(workspace, 'Succeeded');
  expect(await sent()).toContain(key);
});
