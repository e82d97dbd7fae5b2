import { describe, expect, it } from 'vitest';
import { chooseNext } from '../../src/queue/active-runs.ts';

const group = (creatorUid: string, environmentId: string, count: number, oldestCreatedAt = 0) => ({
  creatorUid,
  environmentId,
  count,
  oldestCreatedAt,
});

describe('the next run', () => {
  const free = () => Number.POSITIVE_INFINITY;

  it('is the oldest, if the creators have equally many active runs', () => {
    const queued = [group('a', 'x', 50, 2), group('b', 'x', 1, 1)];
    expect(chooseNext(queued, [], free)?.creatorUid).toBe('b');
  });

  it('belongs to the creator with the fewest active runs, even if others wait longer', () => {
    const queued = [group('a', 'x', 50, 1), group('b', 'x', 1, 9)];
    const active = [group('a', 'x', 1), group('a', 'y', 1), group('b', 'x', 1)];
    expect(chooseNext(queued, active, free)?.creatorUid).toBe('b');
  });

  it('is not in an environment that is full', () => {
    const queued = [group('a', 'x', 1, 1), group('a', 'y', 1, 2)];
    const active = [group('b', 'x', 2)];
    const capacityOf = (id: string) => (id === 'x' ? 2 : 1);
    expect(chooseNext(queued, active, capacityOf)?.environmentId).toBe('y');
    expect(chooseNext(queued.slice(0, 1), active, capacityOf)).toBeUndefined();
  });
});
