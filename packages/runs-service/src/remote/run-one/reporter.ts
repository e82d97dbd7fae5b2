import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { retryDelayMs } from 'base/time/retry-delay';
import type { AgentProgress } from 'runs-client/contract';
import type { z } from 'zod';
import type { AgentUsage } from '../../harnesses/steps/agent-step.ts';
import { maxEventsAtOnce, type Report, type RunEvent, reportAnswerSchema } from '../protocol.ts';
import {
  RequestRejectedError,
  RunEndedError,
  type ServiceLink,
  UnreadableAnswerError,
} from './service-link.ts';
import type { SpendNews } from './spend-news.ts';

type ReporterOptions = {
  /** Sends one report. `signal` ends the wait for a cancel that an empty report causes. */
  send: (
    report: Report,
    signal: AbortSignal | undefined,
  ) => Promise<z.infer<typeof reportAnswerSchema>>;
  /** Called when someone canceled the run. */
  onCancel: () => void;
  /** Set if the run uses models of the service. */
  spending: Pick<SpendNews, 'known' | 'learn'> | undefined;
  signal: AbortSignal;
  logger: Logger;
};

/** Max time between two reports, in seconds. It's short, because reports are also the run's heartbeat. */
const waitSeconds = 20;
const batchMs = 200;
/** Max rejections in a row, which take about half a minute. */
const maxRejections = 6;
/** Max events that wait while the service is down. Later events are dropped. Normal runs have hundreds. */
const maxWaitingEvents = 10_000;
const maxNoteCharacters = 4_000;
/** Returns a function that sends reports over a link. */
export const reportOver =
  (link: ServiceLink): ReporterOptions['send'] =>
  (report, signal) =>
    link.call({
      method: 'POST',
      path: '/report',
      answer: reportAnswerSchema,
      body: report,
      waitMs: waitSeconds * 1000,
      ...(signal && { signal }),
    });

/** Creates a reporter that sends events in their order, each once. While the service is down, they wait in memory. */
export function createReporter({
  send: sendReport,
  onCancel,
  spending,
  signal,
  logger,
}: ReporterOptions) {
  const waiting: RunEvent[] = [];
  let number = 0;
  let progress: AgentProgress | undefined;
  let announced: Report['announce'];
  let idle = new AbortController();
  const empty: (() => void)[] = [];
  let isOver = false;
  let rejections = 0;
  const ending = new AbortController();

  const hasUpdates = () => waiting.length > 0 || progress !== undefined || announced !== undefined;

  function add(event: RunEvent): void {
    if (waiting.length < maxWaitingEvents) waiting.push(event);
    wake();
  }

  /** Ends the current report's wait, because there is something to report. */
  function wake(): void {
    idle.abort('updates');
  }

  const nextReport = (): Report => ({
    from: number,
    events: waiting.slice(0, maxEventsAtOnce),
    wait_seconds: hasUpdates() || rejections > 0 ? 0 : waitSeconds,
    ...(progress && { progress }),
    ...(announced && { announce: announced }),
    ...(spending && { spending: spending.known() }),
  });

  function resolveFinished(): void {
    for (const resolve of empty.splice(0)) resolve();
  }

  async function send(report: Report): Promise<void> {
    progress = undefined;
    announced = undefined;
    const answer = await sendReport(report, report.wait_seconds > 0 ? idle.signal : undefined);
    rejections = 0;
    waiting.splice(0, Math.max(0, answer.next - number));
    number = Math.max(number, answer.next);
    if (answer.spending) spending?.learn(answer.spending);
    if (answer.canceled) onCancel();
  }

  /**
   * Drops the first event of a rejected report, or waits before the next report.
   * @throws the error after too many rejections
   */
  async function handleRejection(error: RequestRejectedError, report: Report): Promise<void> {
    logger.error({ err: error }, 'the service rejected a report');
    const hadEvents = report.events.length > 0;
    if (error instanceof UnreadableAnswerError || hadEvents) {
      progress ??= report.progress;
      announced ??= report.announce;
    }
    if (!(error instanceof UnreadableAnswerError) && hadEvents) {
      // Drop the first event, because a rejected event would block all later ones.
      waiting.shift();
      return;
    }
    rejections += 1;
    if (rejections === maxRejections) throw error;
    await sleep(retryDelayMs(rejections), signal);
  }

  async function round(): Promise<void> {
    if (!hasUpdates()) resolveFinished();
    idle = new AbortController();
    const report = nextReport();
    try {
      await send(report);
    } catch (error) {
      if (error instanceof RunEndedError || signal.aborted) throw error;
      if (error instanceof RequestRejectedError) await handleRejection(error, report);
      else if (!idle.signal.aborted) throw error;
    }
  }

  /**
   * Sends reports until `finish`.
   * @throws RequestRejectedError if the service no longer accepts reports
   */
  async function run(): Promise<void> {
    try {
      while (!signal.aborted && !ending.signal.aborted) {
        await round();
        if (hasUpdates()) await sleep(batchMs, signal);
      }
    } catch (error) {
      if (!(error instanceof RunEndedError) && !signal.aborted) throw error;
    } finally {
      isOver = true;
      resolveFinished();
    }
  }

  return {
    run,
    note: (text: string) => add({ note: [...text].slice(0, maxNoteCharacters).join('') }),
    usage: (usage: AgentUsage) => add({ usage }),
    setProgress(now: AgentProgress): void {
      progress = now;
      wake();
    },
    announce(usage: AgentUsage | undefined): void {
      announced = usage ? { usage } : {};
      wake();
    },
    /** Ends the reporter. Resolves when everything is reported. */
    async finish(): Promise<void> {
      if (isOver) return;
      const reported = new Promise<void>((resolve) => empty.push(resolve));
      wake();
      await reported;
      ending.abort();
      wake();
    },
  };
}
export type Reporter = ReturnType<typeof createReporter>;
