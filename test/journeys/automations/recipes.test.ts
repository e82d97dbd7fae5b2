/** Does what the recipes of docs/automations.md say, with the texts of the page. */
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readFilter } from '../../../src/automations/filter.ts';
import { matchesGlob } from '../../../src/automations/glob.ts';
import { readyMade } from '../../../src/automations/ready-made.ts';
import { readSchedule } from '../../../src/automations/schedule-words.ts';
import { templateProblem } from '../../../src/automations/template.ts';
import {
  allowAlertBot,
  decided,
  makeSchedulesDue,
  startAutomatedProduct,
} from '../../support/product/automations.ts';
import {
  general,
  opensModal,
  promptsSent,
  runMessageShowing,
  textOf,
} from '../../support/product/product.ts';

const run = promisify(execFile);
const alerts = 'C04ALERTS01';
type Product = Awaited<ReturnType<typeof startAutomatedProduct>>;

const page = readFileSync(new URL('../../../docs/automations.md', import.meta.url), 'utf8');

/** Returns the code block of a recipe. */
function textOfRecipe(number: number): string {
  const [, recipe = ''] = page.split(new RegExp(`^### ${number}\\. .*$`, 'm'));
  const [, text = ''] = /```(?:sh)?\n([\s\S]*?)```/.exec(recipe) ?? [];
  return text.trim();
}

const named = (name: string) => readyMade.find((each) => each.name === name);

describe('the texts of docs/automations.md', () => {
  it('are the filters, schedules and prompts that the app reads', () => {
    const checks = named('GitHub check failed on the default branch');
    expect(readFilter(textOfRecipe(3))).toEqual(checks?.filter);
    const times = [...page.matchAll(/`((?:every|first) [^`]+|cron: [^`]+)`/g)];
    expect(times.map(([, time = '']) => readSchedule(time))).toEqual([
      { cron: '30 8 * * MON#1' },
      { cron: '30 14 * * MON,THU' },
      { cron: '*/15 * * * *' },
      { cron: '0 9 * * 1-5' },
    ]);
    expect(templateProblem(textOfRecipe(5), 'reaction')).toBeUndefined();
    expect(matchesGlob(`*${textOfRecipe(4)}*`, '[FIRING:1] DiskFull in production')).toBe(true);
    expect(page.match(/_[^_]+_/g)).toEqual(
      expect.arrayContaining(readyMade.map(({ name }) => `_${name}_`)),
    );
  });
});

/** Opens the form for a trigger, as *New automation* does, and waits until it shows the trigger's inputs. */
async function opensForm(product: Product, trigger: string, words: string, channelId = general) {
  const { ada } = product;
  await opensModal(product, ada, '/agent schedule', channelId);
  if (trigger !== 'schedule') await ada.fills({ 'automations:trigger': trigger });
  await shows(product, words);
}

const shows = ({ ada, workspace }: Product, words: string): Promise<string> =>
  workspace.until(() => {
    const text = textOf(ada.modal()?.content);
    return text.includes(words) ? text : undefined;
  });

/** Selects a ready-made automation and saves it. Returns the address and the secret that the app shows. */
async function savesReadyMade(product: Product, name: string) {
  const { ada } = product;
  await opensForm(product, 'webhook', 'Only if');
  await ada.fills({ 'automations:ready-made': name });
  await shows(product, named(name)?.filter[0]?.[0]?.text ?? '');
  expect(await ada.submits()).toEqual({});
  const saved = await shows(product, 'whsec_');
  await ada.closesModal({ all: true });
  const [secret = ''] = /whsec_[\w+/=]+/.exec(saved) ?? [];
  const [url = ''] = /http:[^`"\\]+\/hooks\/[\w-]+/.exec(saved) ?? [];
  return { secret, url };
}

const byAda = (name: string) => `by automation *${name}*, for <@U04ADALOVEL>`;

describe('the recipes of docs/automations.md', () => {
  it('1: a schedule fires when it is due, and posts in the channel in which it was typed', async () => {
    const product = await startAutomatedProduct();
    const { ada, workspace } = product;
    await ada.types(general, textOfRecipe(1));
    await workspace.until(() => textOf(ada.sees(general)).includes('every weekday at 9:00'));
    await makeSchedulesDue(product);
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(textOf(ended)).toContain('by automation');
    expect(await promptsSent(product)).toEqual(['check the dependencies for security updates']);
  });

  it('2: the curl line starts a run after a deploy, once', async () => {
    const product = await startAutomatedProduct();
    const { secret, url } = await savesReadyMade(product, 'Deploy finished');
    const env = { ...process.env, WEBHOOK_URL: url, WEBHOOK_SECRET: secret };
    for (const _ of ['first', 'repeated']) {
      const answer = await run('sh', ['-c', `${textOfRecipe(2)} --silent --include`], { env });
      expect(answer.stdout).toContain('HTTP/1.1 202 ');
    }
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(ended)).toContain('After the deploy of 1.2.3');
    expect(textOf(ended)).toContain(byAda('Deploy finished'));
    expect(await decided(product, 1)).toEqual(['started']);
  });

  it('3: a failed check of the default branch on GitHub starts a run, others start none', async () => {
    const product = await startAutomatedProduct();
    const name = 'GitHub check failed on the default branch';
    const { secret, url } = await savesReadyMade(product, name);
    const deliver = (branch: string) => {
      const body = JSON.stringify({
        action: 'completed',
        check_suite: { conclusion: 'failure', head_branch: branch, app: { name: 'CI' } },
        repository: { full_name: 'acme/website', default_branch: 'main' },
      });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = {
        'x-hub-signature-256': `sha256=${signature}`,
        'x-github-event': 'check_suite',
      };
      return fetch(url, { method: 'POST', headers, body });
    };
    expect((await deliver('a-branch')).status).toBe(202);
    expect((await deliver('main')).status).toBe(202);
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(textOf(ended)).toContain('Checks failed on main');
    expect((await decided(product, 2)).toSorted()).toEqual(['started', 'unmatched']);
  });

  it('4: the message of an allowed alert bot starts a run in its thread', async () => {
    const product = await startAutomatedProduct();
    const { ada, workspace } = product;
    await allowAlertBot(product);
    await opensForm(product, 'message', 'FIRING', alerts);
    expect(textOf(ada.modal()?.content)).toContain('"text":"Bots"');
    await ada.fills({ bots: ['B04ALERTBOT'], text: textOfRecipe(4) });
    const prompt = 'find the cause of {{ message.text }}';
    const filled = { automation_name: 'Alerts', channel: alerts, prompt };
    // Without the step that selects the bots under "From", the app doesn't save an automation that never fires.
    expect(page).toContain('_From_ _Bots_');
    expect(textOf(await ada.submits(filled))).toContain('Select Bots');
    expect(await ada.submits({ ...filled, from: 'bots' })).toEqual({});
    await shows(product, 'is on');
    const bot = workspace.as('Alertmanager');
    await bot.posts(alerts, { text: '[RESOLVED] DiskFull in production' });
    const alert = await bot.posts(alerts, { text: '[FIRING:1] DiskFull in production' });
    const ended = await runMessageShowing(workspace, 'Succeeded', alerts);
    expect(ended.threadTs).toBe(alert.ts);
    expect(textOf(ended)).toContain(byAda('Alerts'));
  });

  it('5: 👀 on an alert starts a run in its thread', async () => {
    const product = await startAutomatedProduct();
    const { ada, grace, workspace } = product;
    await opensForm(product, 'reaction', 'Emoji', alerts);
    const filled = { automation_name: 'Eyes', channel: alerts, prompt: textOfRecipe(5) };
    expect(await ada.submits({ ...filled, emoji: ':eyes:' })).toEqual({});
    await shows(product, 'is on');
    const ts = workspace.messagesIn(alerts)[0]?.ts ?? '';
    await grace.reacts(alerts, ts, 'eyes');
    const ended = await runMessageShowing(workspace, 'Succeeded', alerts);
    expect(ended.threadTs).toBe(ts);
    const [prompt] = await promptsSent(product);
    expect(prompt).toContain('Find the cause of this alert, and change nothing: *HighErrorRate*');
  });
});
