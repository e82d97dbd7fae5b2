import { describe, expect, it } from 'vitest';
import {
  hasEnded,
  serviceRunStates,
  statesBefore,
} from '../../../src/runs-service/queue/run-state.ts';

describe('states', () => {
  it('never go back, except after a question, and an ended state is final', () => {
    const order = ['QUEUED', 'INPROGRESS', 'BLOCKED', 'SUCCEEDED', 'FAILED', 'CANCELLED'];
    for (const to of serviceRunStates) {
      for (const from of statesBefore(to)) {
        if (from !== 'BLOCKED' || to !== 'INPROGRESS')
          expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
        expect(hasEnded(from)).toBe(false);
      }
    }
    expect(statesBefore('SUCCEEDED')).toEqual(['INPROGRESS', 'BLOCKED']);
    expect(statesBefore('FAILED')).toEqual(['QUEUED', 'INPROGRESS', 'BLOCKED']);
    expect(statesBefore('QUEUED')).toEqual([]);
    expect(serviceRunStates.filter(hasEnded)).toEqual(['SUCCEEDED', 'FAILED', 'CANCELLED']);
  });
});
