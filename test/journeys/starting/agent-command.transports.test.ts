import { describe, expect, it } from 'vitest';
import {
  general,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startedProduct>>;

/** The last message that only Ada sees. */
const toldAda = ({ ada, workspace }: Product, words: string) =>
  workspace.until(() => {
    const last = ada.sees(general).findLast(({ visibleTo }) => visibleTo !== undefined);
    return last && textOf(last).includes(words) ? textOf(last) : undefined;
  });

describe('/agent run', () => {
  it('starts at once with the typed options, also in curly quotes', async () => {
    const product = await startedProduct();
    await product.ada.types(general, '/agent run env=shell title=“Two words” list the files');
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(product.ada.modal()).toBeUndefined();
    expect(textOf(ended)).toContain('Two words');
    expect(textOf(ended)).toMatch(/ {2}· {2}shell\b/);
    expect(textOf(ended)).toContain('list the files');
  });

  it('starts one run when the command is delivered twice', async () => {
    const product = await startedProduct();
    const { workspace, ada } = product;
    workspace.faults.inject({ name: 'delivered_twice', kind: 'slash_commands' });
    await ada.types(general, '/agent run once only');
    await runMessageShowing(workspace, 'Succeeded');
    await workspace.settled();
    const posted = runMessagesIn(workspace);
    expect(posted).toHaveLength(1);
  });

  it('opens the filled form without a prompt', async () => {
    const { workspace, ada } = await startedProduct();
    await ada.types(general, '/agent env=shell title="A title"');
    const modal = await workspace.until(() => ada.modal());
    expect(textOf(modal.content)).toContain('A title');
    await ada.submits({ prompt: 'fix <#C04RANDOM01> & more' });
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(textOf(ended)).toMatch(/ {2}· {2}shell\b/);
  });

  it('refuses when the daily limit is reached', async () => {
    const product = await startedProduct({ limits: { runsPerDay: 1, liveRuns: undefined } });
    await product.ada.types(general, '/agent run the first');
    await runMessageShowing(product.workspace, 'Succeeded');
    await product.ada.types(general, '/agent run the second');
    expect(await toldAda(product, 'The limit is 1')).toContain('RUNS_PER_DAY');
    await toldAda(product, 'You started 1 run in the last 24 hours');
    await product.ada.types(general, '/agent the third');
    await product.workspace.until(() => product.ada.modal());
    const { errors } = await product.ada.submits();
    expect(errors?.['prompt']).toContain('The limit is 1');
  });

  it('refuses when too many runs are active', async () => {
    const product = await startedProduct({ limits: { runsPerDay: undefined, liveRuns: 1 } });
    await product.ada.types(general, '/agent run wait for me');
    await runMessageShowing(product.workspace, 'In progress');
    await product.ada.types(general, '/agent run the second');
    expect(await toldAda(product, 'LIVE_RUNS')).toContain('The limit is 1');
    await toldAda(product, '1 run in this workspace is active');
  });
});

describe('what /agent answers privately', () => {
  it('names a mistake and starts nothing', async () => {
    const product = await startedProduct();
    await product.ada.types(general, '/agent run env=a color=red fix the page');
    const said = await toldAda(product, 'color=');
    expect(said).toContain('color=red fix');
    expect(runMessageIn(product.workspace)).toBeUndefined();
  });

  it.each([
    ['skill=nothing go', 'owner/repo', 'skill=nothing go'],
    ['preset="no such" go', 'no preset called', 'preset=\\"no such'],
  ])('names a wrong value: %s', async (typed, why, excerpt) => {
    const product = await startedProduct();
    await product.ada.types(general, `/agent run env=a ${typed}`);
    const said = await toldAda(product, why);
    expect(said).toContain(excerpt);
    expect(runMessageIn(product.workspace)).toBeUndefined();
  });

  it('--dry-run shows each value with its origin and starts nothing', async () => {
    const product = await startedProduct();
    await product.ada.types(general, '/agent --dry-run run model=small count & compare <all>');
    const said = await toldAda(product, 'Nothing was started');
    expect(said).toContain('Environment: not set');
    await product.ada.types(general, '/agent run --dry-run model=small count & compare <all>');
    expect(await toldAda(product, 'Model: `small` (typed)')).toContain(
      'count &amp; compare &lt;all&gt;',
    );
  });

  it('lists, shows and cancels a run by the start of its ID or the link to its message', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    await ada.types(general, '/agent run title="The long one" wait for me');
    const message = await runMessageShowing(workspace, 'In progress');
    await ada.types(general, '/agent list');
    expect(await toldAda(product, 'The long one')).toContain('run:row:0');
    await ada.types(general, '/agent list all failed');
    await toldAda(product, 'No runs in state');
    await ada.types(general, '/agent list @grace');
    expect(await toldAda(product, "hasn't started any runs from Slack")).toContain(grace.person.id);
    await ada.types(general, '/agent list @nobody-like-this');
    await toldAda(product, "pick someone from Slack's list");
    await ada.types(general, '/agent list failed');
    await toldAda(product, "You haven't started any runs in state `FAILED`");
    await ada.types(general, '/agent list all faild');
    expect(await toldAda(product, 'No runs in state `FAILD`')).toContain(
      '`in_progress`, `needs_input`, `succeeded`, `failed`, `canceled`, `not_started`.',
    );
    const link = `https://x.slack.com/archives/${general}/p${message.ts.replace('.', '')}`;
    await ada.types(general, `/agent show ${link}`);
    const shown = await toldAda(product, 'Prompt: `wait for me`');
    const runId = /Run ID: `([\w-]{8,})`/.exec(shown)?.[1] ?? '';
    await ada.types(general, `/agent show ${runId.slice(0, 12)}`);
    const again = await toldAda(product, 'Prompt: `wait for me`');
    expect(again).toContain('"text":"Cancel"');
    expect(again).toMatch(new RegExp(`/archives/${general}/p\\d+\\|Run message>`));

    await grace.types(general, `/agent cancel ${link}`);
    await workspace.until(() => textOf(grace.sees(general)).includes('can do that'));
    await ada.types(general, `/agent cancel ${link}`);
    await toldAda(product, 'Canceling *');
    await runMessageShowing(workspace, 'Canceled');
    await ada.types(general, '/agent list canceled');
    await toldAda(product, 'run:row:0');
    await ada.types(general, '/agent show nothing-like-this');
    await toldAda(product, 'Run not found');
  });

  it('masks what looks like a secret', async () => {
    const product = await startedProduct();
    await product.ada.types(general, '/agent run log in with password=hunter2hunter2');
    const message = await runMessageShowing(product.workspace, 'Succeeded');
    const link = `https://x.slack.com/archives/${general}/p${message.ts.replace('.', '')}`;
    await product.ada.types(general, `/agent show ${link}`);
    expect(await toldAda(product, 'password=[masked secret 1]')).not.toContain('hunter2');
  });

  it("cancels someone else's run for an admin", async () => {
    const product = await startedProduct();
    const { grace, workspace, ada } = product;
    await grace.types(general, '/agent run wait for me');
    const message = await runMessageShowing(workspace, 'In progress');
    const link = `https://x.slack.com/archives/${general}/p${message.ts.replace('.', '')}`;
    await ada.types(general, `/agent cancel ${link}`);
    await toldAda(product, 'Canceling *');
    await runMessageShowing(workspace, 'Canceled');
  });

  it('help names every way to start', async () => {
    const product = await startedProduct();
    await product.ada.types(general, '/agent help');
    expect(await toldAda(product, '*Start a run*')).toContain('--dry-run');
  });
});
