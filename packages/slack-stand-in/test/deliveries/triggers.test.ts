import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTriggers } from '../../src/deliveries/triggers.ts';

const person = { userId: 'U1', teamId: 'T1' };

describe('trigger ids', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('work once, for three seconds, in their own team', () => {
    const triggers = createTriggers();
    const [used, old, foreign] = [1, 2, 3].map(() => triggers.create(person));
    expect(triggers.exchange(used, ['T1'])).toMatchObject(person);
    expect(triggers.exchange(used, ['T1'])).toBe('exchanged_trigger_id');
    expect(triggers.exchange(foreign, ['T2'])).toBe('invalid_trigger_id');
    vi.advanceTimersByTime(3001);
    expect(triggers.exchange(old, ['T1'])).toBe('expired_trigger_id');
  });

  it('do not expire with `keepTriggers`', () => {
    const triggers = createTriggers({ keepTriggers: true });
    const id = triggers.create(person);
    vi.advanceTimersByTime(3_600_000);
    expect(triggers.exchange(id, ['T1'])).toMatchObject(person);
  });
});
