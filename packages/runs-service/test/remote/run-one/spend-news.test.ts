import { expect, it, onTestFinished, vi } from 'vitest';
import { createRunClock } from '../../../src/execution/run-clock.ts';
import { createSpendNews } from '../../../src/remote/run-one/spend-news.ts';

function withClock(limitMs: number) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const clock = createRunClock(limitMs);
  onTestFinished(clock.stop);
  const news = createSpendNews();
  return { clock, news, release: news.pauseWhileHeld(clock) };
}

it('stops the time while a call waits for a person, however often the news comes', async () => {
  const { clock, news } = withClock(1_000);
  for (let times = 0; times < 3; times += 1) news.learn({ is_held: true });
  await vi.advanceTimersByTimeAsync(900_000);
  expect(clock.expired.aborted).toBe(false);
  for (let times = 0; times < 3; times += 1) news.learn({ is_held: false });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(clock.expired.aborted).toBe(true);
});

it('stops the time of an access that opens meanwhile, until it closes', async () => {
  const { clock, news, release } = withClock(1_000);
  release();
  news.learn({ is_held: true });
  const end = news.pauseWhileHeld(clock);
  await vi.advanceTimersByTimeAsync(900_000);
  expect(clock.expired.aborted).toBe(false);
  end();
  end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(clock.expired.aborted).toBe(true);
});

it('says at once why the run has to end, and ends it after 30 seconds', async () => {
  const { news } = withClock(1_000_000);
  expect(news.known()).toEqual({ is_held: false, is_stopped: false });
  news.learn({ is_held: false, stopped: 'The cap is reached.' });
  expect(news.known()).toEqual({ is_held: false, is_stopped: true });
  expect(news.stopReason()).toBe('The cap is reached.');
  await vi.advanceTimersByTimeAsync(29_000);
  news.learn({ is_held: false, stopped: 'Later.' });
  expect(news.stopped.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(news.stopped.reason).toBe('The cap is reached.');
});
