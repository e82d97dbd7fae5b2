import { describe, expect, it } from 'vitest';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startedProduct>>;

/** Waits for the last message that only Ada sees. */
const toldAda = ({ ada, workspace }: Product, words: string) =>
  workspace.until(() => {
    const last = ada.sees(general).findLast(({ visibleTo }) => visibleTo !== undefined);
    return last && textOf(last).includes(words) ? textOf(last) : undefined;
  });

const linkTo = ({ ts }: { ts: string }) =>
  `https://x.slack.com/archives/${general}/p${ts.replace('.', '')}`;

describe('/agent run', () => {
  it('starts at once with the typed options; without a prompt, the filled form opens', async () => {
    const { workspace, ada } = await startedProduct();
    await ada.types(general, '/agent run env=shell title=“Two words” list the files');
    const ended = textOf(await runMessageShowing(workspace, 'Succeeded'));
    expect(ada.modal()).toBeUndefined();
    expect(ended).toContain('Two words');
    expect(ended).toMatch(/ {2}· {2}shell\b/);
    expect(ended).toContain('list the files');

    await ada.types(general, '/agent env=shell title="A title"');
    const modal = await workspace.until(() => ada.modal());
    expect(textOf(modal.content)).toContain('A title');
    await ada.submits({ prompt: 'fix <#C04RANDOM01> & more' });
    await runMessageShowing(workspace, 'A title');
    const second = await runMessageShowing(workspace, 'Succeeded');
    expect(textOf(second)).toMatch(/ {2}· {2}shell\b/);
  });

  it('rejects an environment that the service does not list, as a mention and a dry run do', async () => {
    const product = await startedProduct();
    const { ada, workspace } = product;
    const unlisted = "There's no environment nosuch. Available: shell.";
    await ada.types(general, '/agent run env=nosuch fix &lt;this&gt;');
    expect(await toldAda(product, unlisted)).toContain('/agent run env=nosuch fix');
    await ada.types(general, '/agent run --dry-run env=nosuch fix it');
    expect(await toldAda(product, 'This run would be blocked')).toContain(unlisted);
    await ada.types(general, '@agent env=nosuch fix that');
    await workspace.until(
      () => ada.sees(general).filter((each) => textOf(each).includes(unlisted)).length === 3,
    );
    await workspace.settled();
    expect(runMessageIn(workspace)).toBeUndefined();
  });

  it('rejects when too many runs are active, and when the daily limit is reached', async () => {
    const product = await startedProduct({ limits: { maxRunsPerDay: 2, maxActiveRuns: 1 } });
    const { ada, workspace } = product;
    await ada.types(general, '/agent run wait for me');
    const first = await runMessageShowing(workspace, 'In progress');
    await ada.types(general, '/agent run the second');
    expect(await toldAda(product, 'MAX_ACTIVE_RUNS')).toContain('The limit is 1');
    await toldAda(product, '1 run in this workspace is active');
    await ada.clicks({ channelId: general, messageTs: first.ts }, 'run:cancel');
    await runMessageShowing(workspace, 'Canceled');

    await ada.types(general, '/agent run the third');
    await runMessageShowing(workspace, 'Succeeded');
    await ada.types(general, '/agent run the fourth');
    expect(await toldAda(product, 'The limit is 2')).toContain('MAX_RUNS_PER_PERSON_PER_DAY');
    await toldAda(product, 'You started 2 runs in the last 24 hours');
    await ada.types(general, '/agent the fifth');
    await workspace.until(() => ada.modal());
    expect((await ada.submits()).errors?.['prompt']).toContain('The limit is 2');
  });
});

describe('what /agent answers privately', () => {
  it('names mistakes, shows with --dry-run where each value comes from, helps, and starts nothing', async () => {
    const product = await startedProduct();
    const { ada } = product;
    for (const [typed, why, excerpt] of [
      ['run env=a color=red fix the page', 'color=', 'color=red fix'],
      ['run env=a skill=nothing go', 'owner/repo', 'skill=nothing go'],
      ['run env=a preset="no such" go', 'no preset called', 'preset=\\"no such'],
      [
        '--dry-run run model=small count',
        'Nothing was started',
        'Environment: chosen by the runs service',
      ],
      [
        'run --dry-run model=small count & compare <all>',
        'Model: `small` (typed)',
        'count &amp; compare &lt;all&gt;',
      ],
      ['list @nobody-like-this', "select a person from Slack's list", ''],
      ['show nothing-like-this', 'Run not found', ''],
      ['help', '*Start*', '--dry-run'],
    ] as const) {
      await ada.types(general, `/agent ${typed}`);
      expect(await toldAda(product, why)).toContain(excerpt);
    }
    expect(runMessageIn(product.workspace)).toBeUndefined();
  });

  it('helps with examples and buttons that work', async () => {
    const product = await startedProduct();
    const { ada, workspace } = product;
    await ada.types(general, '/agent help');
    const help = await toldAda(product, '@agent stop');
    for (const words of ['@agent also update', '/agent run fix the login'])
      expect(help).toContain(words);
    const place = () => ({
      channelId: general,
      messageTs: ada.sees(general).find((each) => textOf(each).includes('@agent stop'))?.ts ?? '',
    });
    await ada.clicks(place(), 'agent-command:list');
    await toldAda(product, "You haven't started any runs");
    await ada.clicks(place(), 'agent-command:settings');
    await workspace.until(() =>
      textOf(ada.modal()?.content).includes('settings:open:person:defaults'),
    );
    await ada.closesModal();
    await ada.clicks(place(), 'run:new');
    await workspace.until(() => textOf(ada.modal()?.content).includes('"prompt"'));
  });

  it('lists, shows and cancels runs by the start of their ID or the link to their message', async () => {
    const product = await startedProduct();
    const { ada, grace, workspace } = product;
    await ada.types(general, '/agent run title="The long one" wait with password=hunter2hunter2');
    const message = await runMessageShowing(workspace, 'In progress');
    await ada.types(general, '/agent list');
    const listed = await toldAda(product, 'The long one');
    expect(listed).toContain('run:row:0');
    const [, reference = ''] = /`([0-9a-f]{8})`/.exec(listed) ?? [];
    await ada.types(general, `/agent show ${reference}`);
    await toldAda(product, `Run ID: \`${reference}`);
    await ada.types(general, '/agent list @grace');
    expect(await toldAda(product, "hasn't started any runs from Slack")).toContain(grace.person.id);
    await ada.types(general, '/agent list failed');
    await toldAda(product, "You haven't started any runs in state `FAILED`");
    await ada.types(general, '/agent list all faild');
    expect(await toldAda(product, 'No runs in state `FAILD`')).toContain('`not_started`.');

    await ada.types(general, `/agent show ${linkTo(message)}`);
    const masked = 'password=[masked secret 1]';
    const shown = await toldAda(product, masked);
    expect(shown).not.toContain('hunter2');
    const runId = /Run ID: `([\w-]{8,})`/.exec(shown)?.[1] ?? '';
    await ada.types(general, `/agent show ${runId.slice(0, 12)}`);
    const again = await toldAda(product, masked);
    expect(again).toContain('"text":"Cancel"');
    expect(again).toMatch(new RegExp(`/archives/${general}/p\\d+\\|Run message>`));

    await grace.types(general, `/agent cancel ${linkTo(message)}`);
    await workspace.until(() => textOf(grace.sees(general)).includes('can do that'));
    await ada.types(general, `/agent cancel ${linkTo(message)}`);
    await toldAda(product, 'Canceling *');
    await runMessageShowing(workspace, 'Canceled');
    await ada.types(general, '/agent list canceled');
    await toldAda(product, 'run:row:0');

    await grace.types(general, '/agent run wait for me');
    const hers = await runMessageShowing(workspace, 'In progress');
    // An admin can cancel other people's runs.
    await ada.types(general, `/agent cancel ${linkTo(hers)}`);
    await runMessageShowing(workspace, 'Canceled');
  });
});
