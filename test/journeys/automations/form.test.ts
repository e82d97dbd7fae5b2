import { describe, expect, it } from 'vitest';
import { opensDetails, startedFormProduct } from '../../support/product/automation-form.ts';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  held,
  opensModal,
  picked,
  picks,
  promptsSent,
  runMessageShowing,
  textOf,
} from '../../support/product/product.ts';

const engineering = 'C04ENGINEER';
const filled = { automation_name: 'Nightly', channel: general, prompt: 'check the dependencies' };

describe('the form of an automation', () => {
  it('creates a schedule, also if it is sent twice, and starts it now', async () => {
    const product = await startedFormProduct();
    const { ada, workspace, shows, stored, clicks } = product;
    await opensModal(product, ada, '/agent schedule every weekday at 9:00');
    expect(held(ada, 'when')?.['value']).toBe('every weekday at 9:00');
    expect(held(ada, 'time_zone')?.['value']).toBe('Europe/London');
    expect(await ada.submits({ ...filled, 'automations:preset': null })).toEqual({});
    const view = await shows('is on');
    expect(textOf(view?.content)).toContain('every weekday at 9:00');
    const [automation, ...others] = await stored();
    expect(others).toEqual([]);
    expect(automation).toMatchObject({
      name: 'Nightly',
      channelId: general,
      ownerId: ada.person.id,
      definition: { trigger: { cron: '0 9 * * MON-FRI', timeZone: 'Europe/London' } },
    });
    expect(automation?.nextAt).toBeGreaterThan(Date.now());
    await clicks('automations:start-now');
    await shows('Starting');
    await runMessageShowing(workspace, 'Succeeded');
    expect(await promptsSent(product)).toEqual([expect.stringContaining('check the dependencies')]);
  });

  it('explains mistakes at their fields, and a name that is taken', async () => {
    const { ada, answers, shows, opensForm } = await startedFormProduct();
    await answers('/agent schedule every day at 9:00 | check the dependencies', 'is on');
    await opensForm('schedule', 'Time zone');
    const wrong = { ...filled, when: 'sometimes', time_zone: 'Berlin', active_runs: '0' };
    const { errors = {} } = (await ada.submits(wrong)) as { errors?: Record<string, string> };
    expect(Object.keys(errors).sort()).toEqual(['active_runs', 'time_zone', 'when']);
    const right = { when: 'every day at 9:00', time_zone: 'Europe/Berlin', active_runs: '1' };
    const taken = { ...right, automation_name: 'check the dependencies' };
    expect(textOf(await ada.submits(taken))).toContain('Another automation in this channel');
    expect(await ada.submits({ automation_name: 'Another' })).toEqual({});
    await shows('is on');
  });

  it('makes the secret of a webhook, shows it once, and starts nothing without it', async () => {
    const { ada, opensForm, shows, stored, automations } = await startedFormProduct();
    await opensForm('webhook', 'Ready-made');
    await ada.fills({ 'automations:ready-made': 'Deploy finished' });
    await shows('status equals success');
    expect(await ada.submits()).toEqual({});
    const shown = textOf((await shows('Copy the secret now'))?.content);
    const [secret] = /whsec_[\w+/=]+/.exec(shown) ?? [];
    const [automation] = await stored();
    expect(automation?.name).toBe('Deploy finished');
    const hook = await automations.findHook(automation?.id ?? '');
    expect(hook?.secrets).toEqual([secret]);
    expect(shown).toContain(`/hooks/${automation?.id}`);
  });

  it('asks for the secret that the sender makes', async () => {
    const { ada, opensForm, shows, stored, automations } = await startedFormProduct();
    await opensForm('webhook', 'Ready-made');
    await ada.fills({ 'automations:sender': 'sentry' });
    await shows('Secret from Sentry');
    expect(textOf(await ada.submits({ ...filled, secret: 'short' }))).toContain('whole secret');
    const secret = 'a'.repeat(64);
    expect(await ada.submits({ secret })).toEqual({});
    expect(textOf((await shows('is on'))?.content)).not.toContain(secret);
    const [automation] = await stored();
    expect((await automations.findHook(automation?.id ?? ''))?.secrets).toEqual([secret]);
  });

  it('makes a secret for another sender, instead of keeping the one that a sender made', async () => {
    const product = await startedFormProduct();
    const { ada, opensForm, shows, stored, automations, clicks } = product;
    await opensForm('webhook', 'Ready-made');
    await ada.fills({ 'automations:sender': 'sentry' });
    await shows('Secret from Sentry');
    await ada.submits({ ...filled, secret: 'a'.repeat(64) });
    await ada.closesModal({ all: true });
    await opensDetails(product, ada);
    await clicks('automations:edit');
    await shows('Edit automation');
    await ada.fills({ 'automations:sender': 'github' });
    await shows('Paste the URL and the secret');
    expect(await ada.submits()).toEqual({});
    const shown = textOf((await shows('Copy the secret now'))?.content);
    const [secret] = /whsec_[\w+/=]+/.exec(shown) ?? [];
    const hook = await automations.findHook((await stored())[0]?.id ?? '');
    expect(hook?.secrets[0]).toBe(secret);
  });

  it('shows only what the trigger has, and keeps what was typed when the trigger changes', async () => {
    const { ada, opensForm, shows, stored } = await startedFormProduct();
    await opensForm('webhook', 'Ready-made');
    await ada.fills({ prompt: 'typed before', automation_name: 'Eyes' });
    await ada.fills({ 'automations:trigger': 'reaction' });
    await shows('Emoji');
    const fields = Object.keys(ada.modal()?.values ?? {});
    expect(fields).toContain('emoji');
    for (const other of ['when', 'show', 'filter', 'sender', 'people'])
      expect(fields).not.toContain(other);
    expect(await ada.submits({ emoji: ':eyes:', channel: general })).toEqual({});
    await shows('is on');
    expect(await stored()).toMatchObject([
      { name: 'Eyes', definition: { prompt: 'typed before', trigger: { emoji: 'eyes' } } },
    ]);
  });

  it('gives guests nothing, and blocks what a rule blocks in the channel', async () => {
    const product = await startedFormProduct();
    const { grace, workspace, stored, answers } = product;
    const guest = workspace.as('Sam Guest');
    await guest.types(engineering, '/agent schedule every day at 9:00 | spy');
    await workspace.until(() => textOf(guest.sees(engineering)).includes("Guests can't"));
    await addsRule(product, workspace.as('ada'), { name: 'Calm', start: 'no' });
    await answers('/agent schedule every day at 9:00 | read', 'The rule \\"Calm\\" blocks', grace);
    expect(await stored()).toEqual([]);
  });

  it('begins with the limit that a rule allows, also without the form', async () => {
    const product = await startedFormProduct();
    const { ada, answers, stored } = product;
    await addsRule(product, ada, { name: 'Calm', automation_starts_per_hour: '10' });
    await answers('/agent schedule every day at 9:00 | read', 'is on');
    expect(await stored()).toMatchObject([{ definition: { startsPerHour: 10 } }]);
    await opensModal(product, ada, '/agent schedule every weekday at 9:00');
    expect(held(ada, 'starts_per_hour')?.['value']).toBe('10');
    expect(await ada.submits(filled)).toEqual({});
  });
});

describe('Test', () => {
  it('shows which messages would start a run and the prompt, and starts nothing', async () => {
    const { ada, workspace, opensForm, shows, clicks } = await startedFormProduct();
    const grace = workspace.as('grace');
    await grace.types(general, 'FIRING: disk full in production');
    await grace.types(general, 'lunch?');
    await opensForm('message', 'From');
    const prompt = 'Look at {{ message.text }} by {{ message.author }}';
    await ada.fills({ ...filled, prompt, text: 'firing*production' });
    await clicks('automations:test');
    const shown = textOf((await shows('would start a run'))?.content);
    expect(shown).toMatch(/1 of the last \d+ messages/);
    expect(shown).toContain('Look at FIRING: disk full in production by Grace');
    expect(shown).not.toContain('Start now');
    expect(
      workspace.messagesIn(general).filter(({ botId }) => botId === workspace.bot.botId),
    ).toEqual([]);
  });

  it('names authors as the run does, and says which message a reaction is tested with', async () => {
    const { ada, workspace, opensForm, shows, clicks } = await startedFormProduct();
    const url = workspace.as('Alertmanager').incomingWebhook(general);
    await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'disk full' }) });
    await opensForm('reaction', 'Emoji');
    await ada.fills({ ...filled, emoji: ':eyes:', prompt: 'Ask {{ message.author }}' });
    await clicks('automations:test');
    const shown = textOf((await shows('For example: someone: disk full'))?.content);
    expect(shown).toContain('Ask someone');
  });

  it('shows the next times of a schedule, and mistakes', async () => {
    const { ada, shows, clicks, opensForm } = await startedFormProduct();
    await opensForm('schedule', 'Time zone');
    await ada.fills({ ...filled, when: 'now and then' });
    await clicks('automations:test');
    await shows('Change this first');
    await ada.fills({ when: 'every 15 minutes', prompt: 'for {{ date }}' });
    await clicks('automations:test');
    const shown = textOf((await shows('it would run at these times'))?.content);
    expect(shown).toMatch(/for \d{4}-\d{2}-\d{2}/);
  });
});

describe('Make recurring', () => {
  it('opens the form filled from a finished run, and keeps its options', async () => {
    const product = await startedFormProduct();
    const { ada, workspace, shows, stored } = product;
    await ada.types(general, '/agent run model=large name=nightly count the files');
    const ended = await runMessageShowing(workspace, 'Succeeded');
    await picks(product, ada, { channelId: general, messageTs: ended.ts }, 'Make recurring');
    await shows('New automation');
    expect(held(ada, 'prompt')?.['value']).toBe('count the files');
    expect(held(ada, 'automation_name')?.['value']).toBe('count the files');
    expect(textOf(held(ada, 'model_id'))).toContain('large');
    expect(await ada.submits({ when: 'every day at 9:00', model_id: picked('small') })).toEqual({});
    await shows('is on');
    expect(await stored()).toMatchObject([
      { definition: { config: { model_id: 'small', name: 'nightly' }, prompt: 'count the files' } },
    ]);
  });
});

describe('/agent schedule', () => {
  it('creates an automation once, with options, and numbers a name that is taken', async () => {
    const { answers, stored } = await startedFormProduct();
    const answer = await answers(
      '/agent schedule every weekday at 9:00 | model=large check the dependencies',
      'is on',
    );
    expect(answer).toContain('every weekday at 9:00');
    await answers('/agent schedule every day at 8:00 | check the dependencies', '2* is on');
    expect(await stored()).toMatchObject([
      { name: 'check the dependencies', definition: { config: { model_id: 'large' } } },
      { name: 'check the dependencies 2' },
    ]);
  });

  it('says that a schedule is due more often than its limit', async () => {
    const { answers } = await startedFormProduct();
    expect(await answers('/agent schedule every 5 minutes | read', 'is on')).not.toContain('⚠️');
    expect(await answers('/agent schedule every minute | read', 'read 2* is on')).toContain(
      "⚠️ It's due 60 times an hour, and at most 20 runs an hour start. Change the limit in *Edit*.",
    );
  });

  it.each([
    ['every weekday at 9:00 check it', '⚠️ Put `|` between'],
    ['| check it', 'Say when it runs'],
    ['every weekdy at 9:00 | check it', "isn't a schedule"],
    ['every day at 9:00 | color=red check it', 'color='],
    ['every day at 9:00 | preset=nowhere check it', 'no preset called'],
    ['every day at 9:00 | --dry-run check it', 'Nothing was created'],
    ['every day at 9:00 | look at {{ payload.x }}', "isn't a value of this trigger"],
    ['every day at 9:00 | env=nowhere check it', 'no environment nowhere'],
  ])('explains a mistake: %s', async (typed, words) => {
    const { answers, stored } = await startedFormProduct();
    expect(await answers(`/agent schedule ${typed}`, words)).toContain('You typed');
    expect(await stored()).toEqual([]);
  });
});

describe('Edit and Take over', () => {
  it('keeps what the form does not show, and rejects a form that is outdated', async () => {
    const product = await startedFormProduct();
    const { ada, answers, stored, shows, automations } = product;
    await answers('/agent schedule every day at 9:00 | name=nightly read', 'is on');
    await opensDetails(product, ada);
    const open = async () => {
      const view = await product.workspace.until(() => ada.modal());
      const [automation] = await stored();
      await ada.clicks({ view }, 'automations:edit', automation?.id);
      await shows('Edit automation');
    };
    await open();
    expect(held(ada, 'when')?.['value']).toBe('every day at 9:00');
    expect(await ada.submits({ prompt: 'read everything' })).toEqual({});
    const [changed] = await stored();
    expect(changed).toMatchObject({
      revision: 1,
      definition: { prompt: 'read everything', config: { name: 'nightly' } },
    });
    await product.workspace.until(() => textOf(ada.modal()?.content).includes('read everything'));
    await open();
    if (!changed) throw new Error('nothing is stored');
    await automations.change(changed.id, 1, { ...changed, name: 'Renamed' }, 'U04GRACEHOP');
    expect(textOf(await ada.submits({ prompt: 'too late' }))).toContain('Someone changed this');
  });

  it('shows why a paused one is paused', async () => {
    const product = await startedFormProduct();
    const { ada, answers, stored, shows, automations } = product;
    await answers('/agent schedule every day at 9:00 | read', 'is on');
    const [{ id } = { id: '' }] = await stored();
    const sentence = '<@U04GRACEHOP> paused it &amp; left.';
    await automations.pause(id, { code: 'person', sentence, by: 'U04GRACEHOP', at: 1 });
    await opensDetails(product, ada);
    const view = await product.workspace.until(() => ada.modal());
    await ada.clicks({ view }, 'automations:edit', id);
    expect(textOf((await shows('Edit automation'))?.content)).toContain(sentence);
  });

  it('makes an admin the owner, who agrees to everything', async () => {
    const product = await startedFormProduct();
    const { ada, grace, answers, stored, shows } = product;
    await answers('/agent schedule every day at 9:00 | read', 'is on', grace);
    await opensDetails(product, ada);
    const view = await product.workspace.until(() => ada.modal());
    const [automation] = await stored();
    await ada.clicks({ view }, 'automations:take-over', automation?.id);
    expect(textOf((await shows('Take over automation'))?.content)).toContain(
      'you become the owner',
    );
    expect(await ada.submits()).toEqual({});
    expect(await stored()).toMatchObject([{ ownerId: ada.person.id, name: 'read' }]);
  });

  it('offers no start of a paused automation, and denies the one that was offered before', async () => {
    const product = await startedFormProduct();
    const { ada, answers, stored, shows, clicks, automations } = product;
    await answers('/agent schedule every day at 9:00 | read', 'is on');
    await opensDetails(product, ada);
    const view = await product.workspace.until(() => ada.modal());
    const [automation] = await stored();
    await ada.clicks({ view }, 'automations:edit', automation?.id);
    await shows('Edit automation');
    await clicks('automations:test');
    await shows('automations:start-now');
    const pause = { code: 'person', sentence: 'Paused.', by: ada.person.id, at: 5 } as const;
    await automations.pause(automation?.id ?? '', pause);
    await clicks('automations:start-now');
    await shows('paused, so nothing was started');
    await clicks('automations:test');
    const tested = textOf((await shows('it would run at these times'))?.content);
    expect(tested).toContain('paused, so nothing was started');
    expect(tested).not.toContain('automations:start-now');
    expect(await promptsSent(product)).toEqual([]);
  });
});
