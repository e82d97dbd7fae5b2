import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { z } from 'zod';
import type { RunOneConfig } from '../../config/run-one-config.ts';
import { defaultPath } from '../../execution/files/run-files.ts';
import { type AbortReason, failed, type RunEnd, serviceFailure } from '../../execution/run-end.ts';
import { createTrash } from '../../sandbox/deletion/trash.ts';
import { createSandboxes } from '../../sandbox/sandboxes.ts';
import { finishedAnswerSchema, type ReportedEnd, type Work, workSchema } from '../protocol.ts';
import { executeWork } from './execute-work.ts';
import { createReporter, reportOver } from './reporter.ts';
import {
  createServiceLink,
  RequestRejectedError,
  RunEndedError,
  type ServiceLink,
} from './service-link.ts';
import { createSpendNews } from './spend-news.ts';

/** Max time to stop after SIGTERM, in ms. Runners kill the process a few seconds later. */
const stopWithinMs = 9_000;
/** Pause before the output is sent to another service, in ms. */
const resendMs = 250;

const bounded = ({ message, error_code, retryable }: NonNullable<RunEnd['status']>) => ({
  message: message.slice(0, 20_000),
  ...(error_code != null && { error_code }),
  ...(retryable != null && { retryable }),
});

/** Converts a run's end to the form of the protocol, which limits the message's length. */
function reportOf(
  end: RunEnd,
  reason: AbortReason | undefined,
): { end: RunEnd } | { stopped: string } {
  if (reason === 'stopping') return { stopped: 'The process of this run was stopped from outside' };
  if (end.state === 'FAILED') return { end: { state: end.state, status: bounded(end.status) } };
  return { end: { state: end.state, ...(end.status && { status: bounded(end.status) }) } };
}

/**
 * Fetches the work of one run, executes it, and reports until the service has the run's end.
 * @param stopping aborts with SIGTERM
 * @returns true if the service has the run's end, or doesn't need it
 */
export async function runOne(
  config: RunOneConfig,
  { stopping, logger }: { stopping: AbortSignal; logger: Logger },
): Promise<boolean> {
  const over = new AbortController();
  const ending = new AbortController();
  const end = (reason: AbortReason) => ending.abort(reason);
  const giveUp = (why: 'over' | 'deadline' | 'stopped') => {
    end('lost');
    over.abort(why);
  };
  const onOver = () => giveUp('over');
  const link = createServiceLink({
    ...config,
    worker: randomUUID(),
    onOver,
    signal: over.signal,
    logger,
  });
  stopping.addEventListener('abort', () => {
    end('stopping');
    // Give up after a while, because the service can be down and never answer.
    setTimeout(() => giveUp('stopped'), stopWithinMs).unref();
  });
  try {
    const start = { method: 'POST' as const, path: '/start', answer: workSchema };
    const work = await link.call(start);
    const atDeadline = () => giveUp('deadline');
    const deadline = setTimeout(
      atDeadline,
      Math.min(work.limits.deadline_seconds * 1000, 2 ** 31 - 1),
    );
    try {
      await execute(config, { work, link, over: over.signal, ending, stopping, logger });
    } finally {
      clearTimeout(deadline);
    }
    return true;
  } catch (error) {
    if (error instanceof RunEndedError || over.signal.reason === 'over') {
      logger.info({ runId: config.runId }, 'the run is over, or belongs to another process');
      return true;
    }
    logger.error({ err: error, runId: config.runId }, 'the run failed inside its process');
    return !over.signal.aborted && reportFailure(link, error, logger);
  }
}

/**
 * Reports that the run failed.
 * @returns true if the service has stored the end, or doesn't expect one anymore
 */
async function reportFailure(link: ServiceLink, error: unknown, logger: Logger): Promise<boolean> {
  const why = error instanceof Error ? error.message : String(error);
  const end =
    error instanceof RequestRejectedError
      ? failed(why, { error_code: 'internal_error', retryable: true })
      : serviceFailure("The process of this run couldn't execute it", why);
  const body = { ...reportOf(end, undefined), output_bytes: 0 };
  try {
    await link.call({ method: 'POST', path: '/end', body, answer: z.object({}) });
    return true;
  } catch (rejection) {
    logger.error({ err: rejection }, 'the run could not be reported');
    return rejection instanceof RunEndedError;
  }
}

type ExecuteDeps = {
  work: Work;
  link: ServiceLink;
  over: AbortSignal;
  ending: AbortController;
  stopping: AbortSignal;
  logger: Logger;
};

async function execute(
  config: RunOneConfig,
  { work, link, over, ending, stopping, logger }: ExecuteDeps,
) {
  const { signal } = ending;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  // Use a separate folder for each attempt, because an earlier one can still be busy on this machine.
  const dataDir = await mkdtemp(join(config.dataDir, `${work.run.id}.`));
  const path = config.path ?? defaultPath;
  const { allowRoot } = config;
  const sandboxes = createSandboxes({ dataDir: config.dataDir, path, allowRoot, logger });
  const trash = createTrash({ dataDir, path, sandboxes, logger });
  const onCancel = () => ending.abort('canceled' satisfies AbortReason);
  const spending = createSpendNews();
  const reporter = createReporter({
    send: reportOver(link),
    onCancel,
    spending: work.model_token === undefined ? undefined : spending,
    signal: over,
    logger,
  });
  const failures: unknown[] = [];
  const reporting = reporter.run().catch((error: unknown) => {
    failures.push(error);
    ending.abort('lost' satisfies AbortReason);
  });
  try {
    const { end, finishOutput } = await executeWork({
      work,
      dataDir,
      stableDir: join(config.dataDir, 'work'),
      sandboxes,
      trash,
      path,
      link,
      serviceUrl: config.serviceUrl,
      reporter,
      spending,
      signal,
      over,
      logger,
    });
    // Throw the reporter's first failure. Without reports, nobody can follow or cancel the run.
    if (failures.length > 0) throw failures[0];
    const report = reportOf(end, signal.aborted ? (signal.reason as AbortReason) : undefined);
    await reporter.finish();
    await reporting;
    for (let again = false; ; again = true) {
      const output_bytes = await finishOutput(again);
      const body: ReportedEnd = z.custom<ReportedEnd>().parse({ ...report, output_bytes });
      const call = { method: 'POST' as const, path: '/end', body, answer: finishedAnswerSchema };
      if (!(await link.call(call)).missing) break;
      await sleep(resendMs, over);
    }
    logger.info({ runId: work.run.id, state: end.state }, 'run reported');
  } finally {
    // Delete the folder now, because no later process on this machine does.
    await trash.settle(stopping);
    await trash.stop();
    if (await trash.isEmpty()) await rm(dataDir, { recursive: true, force: true });
    else logger.warn({ folder: dataDir }, 'cannot delete the folder of a run');
  }
}
