import { knownRunStates } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { renderRunMessage } from '../../../src/slack/run-message/render-run-message.ts';
import { shortRunMessage } from '../../../src/slack/run-message/short-run-message.ts';
import { againButtons } from '../../../src/slack/runs/run-buttons.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { textOf } from '../../support/product.ts';

const shownOf = (changes: Parameters<typeof aRequest>[0]) =>
  textOf(renderRunMessage(aRequest(changes)));

describe('the run message', () => {
  it.each(knownRunStates)('says %s in words, and not by its raw name', (state) => {
    const shown = shownOf({ run: aRun({ state }) });
    expect(shown).not.toContain(`*${state}*`);
    expect(shown).toMatch(/\*[A-Z][a-z ]+\*/);
  });

  it('has no Open session without a link that is safe', () => {
    expect(shownOf({ run: aRun() })).not.toContain('Open session');
    expect(shownOf({ run: aRun({ session_link: 'javascript:alert(1)' }) })).not.toContain(
      'Open session',
    );
    expect(shownOf({ run: aRun({ session_link: 'https://x.example/s' }) })).toContain(
      'Open session',
    );
  });

  it('shows a request that a newer version has taken to a step of its own', () => {
    expect(shownOf({ step: 'dreaming' as never })).toContain('*In progress*');
    expect(shownOf({ step: 'dreaming' as never, run: null })).toContain('*Starting*');
  });

  it('of a run that was quiet for too long says so and offers Follow again', () => {
    const problem = { code: 'followed_long_enough', message: '', since: 1 };
    const shown = shownOf({ unfollowedAt: 1, problem });
    expect(shown).toContain('Nothing new has been heard of this run for a week');
    expect(shown).toContain('Follow again');
  });

  it.each([
    ['command', 'by command'],
    ['message', 'from <https://acme.slack.com/p1|a message>'],
    ['mention', 'by <https://acme.slack.com/p1|a mention>'],
    ['shortcut', 'by shortcut'],
    ['home', 'from Home'],
    ['workflow', 'by a workflow'],
  ] as const)('says of a %s where it came from', (kind, words) => {
    const source = { channelId: 'C1', ts: '1.0', permalink: 'https://acme.slack.com/p1' };
    expect(shownOf({ origin: { kind, source } })).toContain(words);
  });

  it('says why a run failed', () => {
    const run = aRun({ state: 'FAILED', status_message: { message: 'the tests do not pass' } });
    expect(shownOf({ step: 'ended', run })).toContain('the tests do not pass');
  });

  it('says since when nothing was heard', () => {
    const problem = { code: 'connection', message: 'refused', since: 1_793_536_496_000 };
    expect(shownOf({ problem })).toContain('Nothing heard since <!date^1793536496^');
  });

  it('says since when it tries to start a run', () => {
    const problem = { code: 'connection', message: 'refused', since: 1_793_536_496_000 };
    const starting = shownOf({ step: 'posted', run: null, runId: null, problem });
    expect(starting).toContain('cannot be reached. Trying since <!date^1793536496^');
  });

  it('offers Try again only when there is no run', () => {
    const problem = { code: 'unauthorized', message: 'bad key', since: 1 };
    expect(shownOf({ step: 'not_started', run: null, runId: null, problem })).toContain(
      'Try again',
    );
    expect(shownOf({ step: 'ended', run: aRun({ state: 'FAILED' }) })).not.toContain('Try again');
  });

  it.each([
    ['unauthorized', 'Try again'],
    ['unprocessable', 'Run again with changes'],
  ])('puts forward what helps a request that was not started: %s', (code, helpful) => {
    const problem = { code, message: 'no', since: 1 };
    const request = aRequest({ step: 'not_started', run: null, runId: null, problem });
    const { blocks } = renderRunMessage(request, againButtons(request));
    const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
    const texts = buttons.map((each) => each.type === 'button' && each.text.text);
    expect(texts).toEqual(['Try again', 'Run again with changes', 'Details']);
    expect(buttons.flatMap((each, at) => ('style' in each ? texts[at] : []))).toEqual([helpful]);
  });

  it('does not change because time passes: equal requests give equal messages', () => {
    expect(renderRunMessage(aRequest())).toEqual(renderRunMessage(aRequest()));
  });

  it('shows a code that nobody knows as a surprise, not as an error of its own', () => {
    const problem = { code: '__proto__', message: '', since: 1 };
    expect(shownOf({ step: 'not_started', run: null, problem })).toContain('Something went wrong');
  });

  it('says what an error code means, then the exact words, and offers what helps', () => {
    const status_message = {
      message: 'GitHub is not connected',
      error_code: 'external_authentication_required',
      auth_url: 'https://runs.example/connect',
    };
    const run = aRun({ state: 'FAILED', status_message });
    const shown = shownOf({ step: 'ended', run });
    expect(shown).toContain('an account of yours that is not connected');
    expect(shown).toContain('GitHub is not connected');
    expect(shown).toContain('"url":"https://runs.example/connect"');
  });

  it('says the place in the queue while the run waits', () => {
    const run = aRun({ state: 'QUEUED', status_message: { message: '3 before it in the queue' } });
    expect(shownOf({ run })).toContain('*Queued*\\n3 before it in the queue');
  });

  it('says what to do when the run waits for somebody', () => {
    expect(shownOf({ run: aRun({ state: 'BLOCKED' }) })).toContain('Open the session to answer it');
  });

  it('shows what the service made of the configuration rather than what was asked for', () => {
    const run = aRun({ agent_config: { model_id: 'large-2', skill_spec: 'a/b:review' } });
    const shown = shownOf({ config: { model_id: 'large', environment_id: 'shop' }, run });
    expect(shown).toContain('Environment *shop*  ·  Model *large-2*  ·  Skill *a/b:review*');
  });

  it('shows tokens and cost as far as the service gives them', () => {
    const request_usage = {
      inference_cost_usd: 0.4,
      compute_cost_usd: 0.021,
      total_tokens: 12_345,
    };
    expect(shownOf({ run: aRun({ request_usage }) })).toContain('12,345 tokens  ·  $0.42');
    expect(shownOf({ run: aRun({ request_usage: { total_tokens: 7 } }) })).not.toContain('$');
  });

  it('has a notification that says alone what happened', () => {
    const run = aRun({ state: 'FAILED', status_message: { message: 'no tests\nat all' } });
    const { text } = renderRunMessage(aRequest({ step: 'ended', run }));
    expect(text).toBe('Failed: Count the TODO comments (no tests)');
  });
});

describe('the run message in few words', () => {
  it('keeps title, state and buttons, and stays small whatever the run says', () => {
    const status_message = { message: 'the tests do not pass '.repeat(900) };
    const request = aRequest({
      run: aRun({ state: 'FAILED', status_message }),
      prompt: 'x'.repeat(9_000),
    });
    const short = shortRunMessage(renderRunMessage({ ...request, step: 'ended' }));
    expect(short.blocks.map(({ type }) => type)).toEqual([
      'header',
      'section',
      'rich_text',
      'actions',
    ]);
    expect(textOf(short)).toContain('*Failed*');
    expect(textOf(short).length).toBeLessThan(2_500);
  });
});
