import { stat } from 'node:fs/promises';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { Refused } from './service-answer.ts';
import type { ServiceLink } from './service-link.ts';

const lookMs = 300;

/** Sends the output file of a run from now on, while it grows. The file is the buffer while the service is away. */
export function createOutputSender(
  { link, file }: { link: Pick<ServiceLink, 'sendFrom'>; file: string },
  { signal, logger }: { signal: AbortSignal; logger: Logger },
) {
  let sent = 0;
  const ending = new AbortController();
  const sizeOf = async () => (await stat(file).catch(() => undefined))?.size ?? 0;

  async function sendNew(): Promise<void> {
    if ((await sizeOf()) > sent) sent = await link.sendFrom('output', file, sent);
  }

  async function run(): Promise<void> {
    while (!signal.aborted && !ending.signal.aborted) {
      try {
        await sendNew();
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error }, 'cannot send the output');
        if (error instanceof Refused) return;
      }
      await sleep(lookMs, AbortSignal.any([signal, ending.signal]));
    }
  }
  const running = run();

  return {
    /** Sends the rest, or from the beginning if another service answers now. @returns the whole size */
    async finish(again: boolean): Promise<number> {
      ending.abort();
      await running;
      if (again) sent = 0;
      await sendNew();
      return sizeOf();
    },
  };
}
