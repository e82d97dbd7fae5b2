import { describe, expect, it } from 'vitest';
import { knownRunStates } from '../../src/runs-api/contract.ts';
import { renderRunMessage } from '../../src/slack/run-message/render-run-message.ts';
import { aRequest, aRun } from '../support/builders.ts';
import { textOf } from '../support/product.ts';

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

  it('says why a run failed', () => {
    const run = aRun({ state: 'FAILED', status_message: { message: 'the tests do not pass' } });
    expect(shownOf({ step: 'ended', run })).toContain('the tests do not pass');
  });

  it('is quiet about one failed look, and says since when after the second', () => {
    const problem = { code: 'connection', message: 'refused', since: 1_793_536_496_000 };
    expect(shownOf({ problem, failures: 1 })).not.toContain('Nothing heard since');
    expect(shownOf({ problem, failures: 2 })).toContain('Nothing heard since <!date^1793536496^');
  });

  it('offers Try again only when there is no run', () => {
    const problem = { code: 'unauthorized', message: 'bad key', since: 1 };
    expect(shownOf({ step: 'not_started', run: null, runId: null, problem })).toContain(
      'Try again',
    );
    expect(shownOf({ step: 'ended', run: aRun({ state: 'FAILED' }) })).not.toContain('Try again');
  });

  it('does not change because time passes: equal requests give equal messages', () => {
    expect(renderRunMessage(aRequest())).toEqual(renderRunMessage(aRequest()));
  });

  it('shows a code that nobody knows as a surprise, not as an error of its own', () => {
    const problem = { code: '__proto__', message: '', since: 1 };
    expect(shownOf({ step: 'not_started', run: null, problem })).toContain('Something went wrong');
  });
});
