import { describe, expect, it } from 'vitest';
import {
  allowSentence,
  amountToOffer,
  dollars,
  resetSentence,
  spentSentence,
} from '../../../src/gateway/caps/cap-sentences.ts';
import { aCapState } from '../../support/service/cap-builder.ts';

describe('sentences about caps', () => {
  it('show whole cents with two decimals, and smaller amounts with four', () => {
    expect([5_000_000, 10_000, 12_300, 0, 1_234_567_890, 1].map(dollars)).toEqual([
      '$5.00',
      '$0.01',
      '$0.0123',
      '$0.00',
      '$1,234.57',
      '$0.0000',
    ]);
  });

  it('name the spender, the amounts and the period', () => {
    const run = aCapState({ spent: 5_000_000 });
    expect(spentSentence(run)).toBe('This run has spent $5.00 of $5.00.');
    expect(resetSentence(run)).toBeUndefined();
    const person = aCapState({ cap: { scope: 'person', per: 'day' }, spent: 5_000_000 });
    expect(spentSentence(person)).toMatch(/^The person who started this run has spent \$5\.00 of/);
    const channel = aCapState({
      cap: { scope: 'channel', name: '#backend', per: 'week', limitMicros: 50_000_000 },
      spent: 60_000_000,
      allowed: 10_000_000,
      resetsAt: Date.UTC(2026, 10, 29, 23),
    });
    expect(spentSentence(channel)).toBe('#backend has spent $60.00 of $60.00 this week.');
    expect(resetSentence(channel)).toBe(
      'It resets on Monday, November 30 at 00:00 (Europe/Berlin).',
    );
  });

  it('say what allowing more means', () => {
    expect(allowSentence(aCapState({}), 5_000_000)).toBe(
      'If you allow $5.00 more, it continues. Otherwise, it ends here.',
    );
    const shared = aCapState({
      cap: { scope: 'person', name: 'Ada', per: 'day' },
      resetsAt: Date.UTC(2026, 10, 27, 23),
    });
    expect(allowSentence(shared, 1_000_000)).toBe(
      'If you allow $1.00 more, this run continues, and all runs that share this cap can use it until Saturday, November 28 at 00:00 (Europe/Berlin). Otherwise, this run ends here.',
    );
  });

  it("offer a run's cap again, and a fifth of other caps in whole dollars", () => {
    const offered = (scope: 'run' | 'person', limitMicros: number) =>
      amountToOffer(aCapState({ cap: { scope, limitMicros } }).cap);
    expect(offered('run', 10_000)).toBe(10_000);
    expect(offered('person', 50_000_000)).toBe(10_000_000);
    expect(offered('person', 2_000_000)).toBe(1_000_000);
  });
});
