import { createLogger } from 'base/logger';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Report } from '../../../src/remote/protocol.ts';
import { createReporter } from '../../../src/remote/run-one/reporter.ts';
import {
  RequestRejectedError,
  UnreadableAnswerError,
} from '../../../src/remote/run-one/service-link.ts';

type Answer = (report: Report) => { next: number; canceled: boolean };

/** Starts a reporter and records its reports. All waits end immediately. */
function reporting(answer: Answer) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: Report[] = [];
  const stopping = new AbortController();
  const send = async (report: Report, signal: AbortSignal | undefined) => {
    sent.push(report);
    const answered = answer(report);
    // Wait like the service, which holds a report until there is a cancel.
    if (report.wait_seconds > 0 && signal && !signal.aborted)
      await new Promise((_, reject) => signal.addEventListener('abort', reject));
    return answered;
  };
  const reporter = createReporter({
    send,
    onCancel: () => undefined,
    spending: undefined,
    signal: stopping.signal,
    logger: createLogger('silent'),
  });
  return { reporter, sent };
}

const unreadable = new UnreadableAnswerError('next');
const notesOf = ({ events }: Report) =>
  events.flatMap((event) => ('note' in event ? event.note : []));
const isTaken = ({ from, events }: Report) => ({ next: from + events.length, canceled: false });

describe('reports of run-one', () => {
  it('are repeated for half a minute if their answers cannot be read, and then end the run', async () => {
    const { reporter, sent } = reporting(() => {
      throw unreadable;
    });
    reporter.note('one');
    const startedAt = Date.now();
    const failed = expect(reporter.run()).rejects.toBe(unreadable);
    await vi.runAllTimersAsync();
    await failed;
    expect(sent.map(notesOf)).toEqual(sent.map(() => ['one']));
    expect(Date.now() - startedAt).toBeGreaterThan(20_000);
    expect(Date.now() - startedAt).toBeLessThan(60_000);
    // `finish` returns even if the reporter has already ended.
    await reporter.finish();
  });

  it('arrive once, in their order, after answers that could not be read', async () => {
    let tries = 0;
    const taken: string[] = [];
    const { reporter } = reporting((report) => {
      const notes = notesOf(report);
      tries += notes.length === 0 ? 0 : 1;
      if (notes.length > 0 && tries % 5 !== 0) throw unreadable;
      taken.push(...notes);
      return isTaken(report);
    });
    const over = reporter.run();
    for (const note of ['one', 'two', 'three']) {
      reporter.note(note);
      await vi.advanceTimersByTimeAsync(40_000);
    }
    await Promise.all([reporter.finish(), over]);
    expect([taken, tries]).toEqual([['one', 'two', 'three'], 15]);
  });

  it('leave out one event that the service rejects, and none that comes meanwhile', async () => {
    const { reporter, sent } = reporting((report) => {
      if (notesOf(report).includes('odd')) throw new RequestRejectedError('odd');
      return isTaken(report);
    });
    const over = reporter.run();
    for (const note of ['odd', 'one', 'two']) reporter.note(note);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([reporter.finish(), over]);
    expect(sent.map(notesOf).filter((notes) => notes.length > 0)).toEqual([
      ['odd', 'one', 'two'],
      ['one', 'two'],
    ]);
  });

  it('end the run if the service rejects even those that say nothing', async () => {
    const rejected = new RequestRejectedError('wait_seconds: is too long');
    const { reporter, sent } = reporting((report) => {
      if (report.events.length === 0) throw rejected;
      return isTaken(report);
    });
    const failed = expect(reporter.run()).rejects.toBe(rejected);
    reporter.note('while it waits');
    await vi.runAllTimersAsync();
    await failed;
    expect(sent.flatMap(notesOf)).toEqual(['while it waits']);
  });
});
