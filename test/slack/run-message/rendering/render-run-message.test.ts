import { knownRunStates } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { shortRunMessage } from '../../../../src/slack/run-message/fallback-message.ts';
import { renderRunMessage } from '../../../../src/slack/run-message/render-run-message.ts';
import { aRequest, aRun, stepOfTomorrow } from '../../../support/builders.ts';
import { textOf } from '../../../support/product/product.ts';

type Changes = Parameters<typeof aRequest>[0];

const shownOf = (changes: Changes) => textOf(renderRunMessage(aRequest(changes)));

const problem = (code: string) => ({ code, message: 'no', since: 1_793_536_496_000 });

describe('the state of a run that needs input', () => {
  it('says what the agent asks', () => {
    const question = { id: 'q', text: 'May I run <npm> publish?\nIt is final.', options: [] };
    const run = aRun({ state: 'BLOCKED', agent_progress: { question } });
    expect(shownOf({ run })).toContain('❓ May I run &lt;npm&gt; publish?');
  });
});

describe('a long answer', () => {
  const answered = (answer: string) =>
    shownOf({ step: 'ended', run: aRun({ state: 'SUCCEEDED', agent_progress: { answer } }) });

  it('is cut, with a button for all of it', () => {
    const shown = answered('word '.repeat(400));
    expect(shown).toContain('Show full answer');
    expect(shown).toContain('"action_id":"run:details"');
  });

  it.each(['short', 'It goes on…', ''])('is not offered for a short one: "%s"', (answer) => {
    expect(answered(answer)).not.toContain('Show full answer');
  });
});

describe('what was asked', () => {
  const promptOf = (prompt: string, title: string, more: Changes = {}) => {
    const { blocks } = renderRunMessage(aRequest({ prompt, title, ...more }));
    return blocks.flatMap((block) =>
      block.type === 'section' && block.text?.type === 'plain_text' ? [block.text.text] : [],
    );
  };

  it('is not repeated when it is the title', () => {
    expect(promptOf('Count the TODOs', 'Count the TODOs')).toEqual([]);
    expect(promptOf('  Count   the TODOs\n\nand *sort* them', 'Count the TODOs')).toEqual([
      'and *sort* them',
    ]);
  });

  it('continues a title that is the cut beginning of the prompt', () => {
    const words = 'word '.repeat(60).trim();
    const [rest = ''] = promptOf(words, `${words.slice(0, 149)}…`);
    expect(rest).toBe(`…${words.slice(149)}`);
  });

  it('is shown in three lines at most', () => {
    expect(promptOf('one\n\ntwo\nthree\nfour', 'Numbers')).toEqual(['one\ntwo\nthree …']);
    const [long = ''] = promptOf('word '.repeat(1_000), 'Words');
    expect([...long]).toHaveLength(300);
  });

  it('is the prompt without the thread that was sent with it', () => {
    const sent = { context: '> secret plans' };
    expect(promptOf('Explain this', 'A thread', sent)).toEqual(['Explain this']);
  });
});

describe('the context line', () => {
  const contextOf = (changes: Changes) => {
    const lines = renderRunMessage(aRequest(changes)).blocks.filter(
      ({ type }) => type === 'context',
    );
    expect(lines).toHaveLength(1);
    return textOf(lines).replace(/<!date[^>]*>/, '9:41 AM');
  };

  it('says who asked, when, where and what it cost', () => {
    const run = aRun({
      state: 'SUCCEEDED',
      agent_config: { environment_id: 'de*mo', model_id: 'large' },
      started_at: '2026-11-01T12:00:00Z',
      run_time: 'PT14S',
      request_usage: { inference_cost_usd: 0.4, compute_cost_usd: 0.021, total_tokens: 12_345 },
    });
    expect(contextOf({ step: 'ended', run })).toMatch(
      /"<@U1> {2}· {2}9:41 AM {2}· {2}de mo {2}· {2}\$0.42"/,
    );
  });

  it('names the requested environment until the service reports one, and no cost it does not know', () => {
    const config = { environment_id: 'shop' };
    const run = aRun({ request_usage: { total_tokens: 7 } });
    expect(contextOf({ config, run })).toMatch(/"<@U1> {2}· {2}9:41 AM {2}· {2}shop"/);
  });

  it('links to the earlier run that this one repeats', () => {
    const again = {
      requestId: 'r0',
      link: 'https://acme.slack.com/p1',
      changes: ['model changed'],
    };
    const shown = contextOf({ origin: { kind: 'again', again } });
    expect(shown).toContain('repeats <https://acme.slack.com/p1|an earlier run>');
    expect(shown).not.toContain('model changed');
  });
});

describe('the run message', () => {
  it.each(knownRunStates)('says %s in words, and not by its raw name', (state) => {
    const shown = shownOf({ run: aRun({ state }) });
    expect(shown).not.toContain(`*${state}*`);
    expect(shown).toMatch(/\*[A-Z][a-z ]+\*/);
  });

  it('gives the start time of a run in progress, and the duration of one that ended', () => {
    const times = { started_at: '2026-11-01T12:00:00Z', run_time: 'PT14S' };
    expect(shownOf({ run: aRun(times) })).toContain('*In progress* since <!date^1793534400^{time}');
    const run = aRun({ ...times, state: 'SUCCEEDED' });
    expect(shownOf({ step: 'ended', run })).toMatch(/\*Succeeded\* in 14 ?s/);
    const gone: Changes = { step: 'ended', run: aRun(times), problem: problem('gone') };
    expect(shownOf(gone)).toContain('"❔ *Unknown*"');
  });

  it('has no rich text, because Slack rejects an update that removes it', () => {
    const status_message = { message: 'it ```fails``` & more' };
    const artifacts = [{ artifact_type: 'FILE', data: { name: 'report_1.csv' } }];
    const run = aRun({ state: 'FAILED', status_message, artifacts });
    const message = renderRunMessage(aRequest({ step: 'ended', run }));
    expect(textOf(message)).not.toContain('rich_text');
    expect(textOf(shortRunMessage(message))).not.toContain('rich_text');
    expect(textOf(message)).toContain('```\\nit ˋˋˋfailsˋˋˋ &amp; more\\n```');
  });

  it('looks as it was posted until the service has said what the run does', () => {
    expect(shownOf({ step: 'following', run: null })).toBe(shownOf({ step: 'posted', run: null }));
  });

  it('shows a request in a step that only a newer version knows', () => {
    expect(shownOf({ step: stepOfTomorrow })).toContain('*In progress*');
    expect(shownOf({ step: stepOfTomorrow, run: null })).toContain('*Starting*');
  });

  it('says why a run is no longer followed', () => {
    const shown = shownOf({ unfollowedAt: 1, problem: problem('followed_long_enough') });
    expect(shown).toContain("because the run hadn't changed for a week");
  });

  it('says why a run failed', () => {
    const run = aRun({ state: 'FAILED', status_message: { message: 'the tests do not pass' } });
    expect(shownOf({ step: 'ended', run })).toContain('the tests do not pass');
    const silent = aRun({ state: 'FAILED', status_message: null });
    expect(shownOf({ step: 'ended', run: silent })).toContain("didn't give a reason");
  });

  it('says since when there are no updates', () => {
    const shown = shownOf({ problem: problem('connection') });
    expect(shown).toMatch(/No updates since <!date\^1793536496\^.*We'll keep checking/);
  });

  it('says since when it tries to start a run', () => {
    const starting = { step: 'posted', run: null, runId: null } as const;
    const shown = shownOf({ ...starting, problem: problem('connection') });
    expect(shown).toContain('trying to start this run since <!date^1793536496^');
  });

  it('is the same for equal requests, however much time passes', () => {
    expect(renderRunMessage(aRequest())).toEqual(renderRunMessage(aRequest()));
  });

  it('shows an unknown error code as an unexpected error', () => {
    const shown = shownOf({ step: 'not_started', run: null, problem: problem('__proto__') });
    expect(shown).toContain('The app hit an error');
  });

  it('says what an error code means, then the exact words', () => {
    const status_message = {
      message: 'GitHub is not connected',
      error_code: 'external_authentication_required',
    };
    const shown = shownOf({ step: 'ended', run: aRun({ state: 'FAILED', status_message }) });
    expect(shown).toMatch(/Connect it.*GitHub is not connected/);
  });

  it('says the place in the queue while the run waits', () => {
    const run = aRun({ state: 'QUEUED', status_message: { message: '3 runs ahead in the queue' } });
    expect(shownOf({ run })).toContain('*Queued*\\n3 runs ahead in the queue');
  });

  it('links to the question in the thread, or opens it until there is a card', () => {
    const request = aRequest({ run: aRun({ state: 'BLOCKED' }) });
    expect(textOf(renderRunMessage(request))).toContain('question:open');
    const questionLink = 'https://acme.slack.com/archives/C1/p1';
    const linked = textOf(renderRunMessage(request, { questionLink }));
    expect(linked).not.toContain('question:open');
    expect(linked).toContain('Go to question');
  });

  it('has a notification text that carries the outcome', () => {
    const run = aRun({ state: 'FAILED', status_message: { message: 'no tests\nat all' } });
    const { text } = renderRunMessage(aRequest({ step: 'ended', run }));
    expect(text).toBe('Failed: Count the TODO comments (no tests)');
  });
});

describe('the short run message', () => {
  it('keeps title, state and buttons, however long the full message is', () => {
    const status_message = { message: 'the tests do not pass '.repeat(900) };
    const run = aRun({ state: 'FAILED', status_message });
    const request = aRequest({ step: 'ended', run, prompt: 'x'.repeat(9_000) });
    const short = shortRunMessage(renderRunMessage(request));
    expect(short.blocks.map(({ type }) => type)).toEqual([
      'header',
      'section',
      'section',
      'actions',
    ]);
    expect(textOf(short)).toContain('*Failed*');
    expect(textOf(short).length).toBeLessThan(2_500);
  });

  it('still has the beginning of the answer, without its Markdown block', () => {
    const answer = `# Done <!channel>\n${'word '.repeat(400)}`;
    const run = aRun({ state: 'SUCCEEDED', agent_progress: { answer } });
    const short = shortRunMessage(renderRunMessage(aRequest({ step: 'ended', run })));
    expect(textOf(short)).toContain('# Done &lt;');
    expect(textOf(short)).not.toContain('markdown');
    expect(textOf(short).length).toBeLessThan(2_500);
  });
});
