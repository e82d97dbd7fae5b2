import { stat } from 'node:fs/promises';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { EnvironmentSource, ServiceEnvironment } from './environments.ts';
import { readEnvironments } from './read-environments.ts';

const lookMs = 1_000;

/**
 * The environments of a file, read anew when it changes. A file that cannot be read or is not right changes nothing but
 * `problem`. Looking at it now and then also sees files that are replaced, which editors do and watchers miss.
 */
export class EnvironmentsFile implements EnvironmentSource {
  readonly #file: string;
  readonly #logger: Logger;
  readonly #loop = new Loop(() => this.#look());
  readonly #listeners: (() => void)[] = [];
  #current: readonly ServiceEnvironment[];
  #problem: string | undefined;
  #read: string | undefined;
  #seen: string | undefined;

  /** @throws ExplainedError when the file is not right at the start */
  constructor({ file, logger }: { file: string; logger: Logger }) {
    this.#file = file;
    this.#logger = logger;
    this.#current = readEnvironments(file);
  }

  current(): readonly ServiceEnvironment[] {
    return this.#current;
  }

  problem(): string | undefined {
    return this.#problem;
  }

  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Reads the file once it looks as it did at the last look, so that it is not read while it is written. */
  async #look(): Promise<number> {
    const looks = await looksOf(this.#file);
    const settled = looks === this.#seen;
    this.#seen = looks;
    if (settled && looks !== this.#read) {
      this.#read = looks;
      this.#readAnew();
    }
    return lookMs;
  }

  #readAnew(): void {
    try {
      const found = readEnvironments(this.#file);
      const changed = JSON.stringify(found) !== JSON.stringify(this.#current);
      this.#problem = undefined;
      if (!changed) return;
      this.#current = found;
      const ids = found.map(({ id }) => id);
      this.#logger.info({ environments: ids }, 'the environments were read anew');
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!(error instanceof ExplainedError)) throw error;
      this.#problem = `${error.message}\nUntil it is mended, the environments are as they were before.`;
      this.#logger.warn({ why: error.message }, 'the environments stay as they were');
    }
  }
}

/** What changes when a file does; a file that is not there looks like nothing. */
async function looksOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(file);
    return [dev, ino, size, mtimeMs].join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
