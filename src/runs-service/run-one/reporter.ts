import type { AgentProgress } from 'runs-client/contract';
import type { Logger } from '../../lib/logger.ts';
import { sleep } from '../../lib/sleep.ts';
import type { AgentUsage } from '../harnesses/steps/agent-step.ts';
import {
  maxEventsAtOnce,
  type Report,
  type RunEvent,
  reportAnswerSchema,
} from '../protocol/report.ts';
import { Refused, RunOver } from './service-answer.ts';
import type { ServiceLink } from './service-link.ts';

export type ReporterOptions = {
  link: Pick<ServiceLink, 'call'>;
  /** The service says that someone canceled the run. */
  onCancel: () => void;
  signal: AbortSignal;
  logger: Logger;
};

/** Also the heartbeat. */
const waitSeconds = 20;
const newsMs = 200;
const refusedMs = 5_000;
/** A run has hundreds. What comes after this while the service is away is dropped. */
const maxWaiting = 10_000;
const maxNoteCharacters = 4_000;

/** Reports what happens in its order, each event once. While the service is away, events wait in memory. */
export function createReporter({ link, onCancel, signal, logger }: ReporterOptions) {
  const waiting: RunEvent[] = [];
  let number = 0;
  let progress: AgentProgress | undefined;
  let announced: { usage?: AgentUsage } | undefined;
  let idle = new AbortController();
  let empty: (() => void)[] = [];
  let isOver = false;
  const ending = new AbortController();

  const hasNews = () => waiting.length > 0 || progress !== undefined || announced !== undefined;

  function add(event: RunEvent): void {
    if (waiting.length < maxWaiting) waiting.push(event);
    news();
  }

  /** The wait for a cancel ends, because there is something to say. */
  function news(): void {
    idle.abort('news');
  }

  async function send(): Promise<void> {
    const isQuiet = !hasNews();
    const events = waiting.slice(0, maxEventsAtOnce);
    const [sentProgress, sentAnnounced] = [progress, announced];
    progress = undefined;
    announced = undefined;
    const report: Report = {
      ...{ from: number, events, wait_seconds: isQuiet ? waitSeconds : 0 },
      ...(sentProgress && { progress: sentProgress }),
      ...(sentAnnounced && { announce: sentAnnounced }),
    };
    const answer = await link.call({
      ...{ method: 'POST', path: '/report', body: report, answer: reportAnswerSchema },
      waitMs: waitSeconds * 1000,
      ...(isQuiet && { signal: idle.signal }),
    });
    waiting.splice(0, Math.max(0, answer.next - number));
    number = Math.max(number, answer.next);
    if (answer.canceled) onCancel();
  }

  async function round(): Promise<void> {
    if (!hasNews()) {
      for (const resolve of empty) resolve();
      empty = [];
    }
    idle = new AbortController();
    if (hasNews()) idle.abort('news');
    try {
      await send();
    } catch (error) {
      if (error instanceof RunOver || signal.aborted) throw error;
      if (idle.signal.aborted && !(error instanceof Refused)) return;
      // One odd event must not hold up the others.
      logger.error({ err: error }, 'the service refused a report');
      const dropped = waiting.splice(0, maxEventsAtOnce);
      waiting.unshift(...dropped.slice(1));
      // Then the next report is refused too.
      if (dropped.length === 0) await sleep(refusedMs, signal);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted && !ending.signal.aborted) {
      try {
        await round();
      } catch (error) {
        if (error instanceof RunOver || signal.aborted) break;
        logger.error({ err: error }, 'cannot report');
      }
      if (hasNews()) await sleep(newsMs, signal);
    }
    isOver = true;
    for (const resolve of empty) resolve();
  }

  return {
    run,
    note: (text: string) => add({ note: [...text].slice(0, maxNoteCharacters).join('') }),
    usage: (usage: AgentUsage) => add({ usage }),
    setProgress(now: AgentProgress): void {
      progress = now;
      news();
    },
    announce(usage: AgentUsage | undefined): void {
      announced = usage ? { usage } : {};
      news();
    },
    /** Once everything is reported. */
    async finish(): Promise<void> {
      if (isOver) return;
      const reported = new Promise<void>((resolve) => empty.push(resolve));
      news();
      await reported;
      ending.abort();
      news();
    },
  };
}
export type Reporter = ReturnType<typeof createReporter>;
