import { stat } from 'node:fs/promises';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import type { EnvironmentSource, ServiceEnvironment } from './environments.ts';
import { readEnvironments } from './read-environments.ts';

const checkMs = 1_000;

/**
 * The environments of a file. Reloads it when it changes; an invalid or missing file changes only `problem`. Polls,
 * because watchers miss files that an editor replaces.
 */
export class EnvironmentsFile implements EnvironmentSource {
  readonly #file: string;
  readonly #logger: Logger;
  readonly #loop = new Loop(() => this.#check());
  readonly #listeners: (() => void)[] = [];
  #current: readonly ServiceEnvironment[];
  #problem: string | undefined;
  #loadedVersion: string | undefined;
  #seenVersion: string | undefined;

  /** @throws ExplainedError when the file is invalid */
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

  /** Waits until the file is the same twice in a row, so that it isn't read while it's written. */
  async #check(): Promise<number> {
    const version = await versionOf(this.#file);
    const isSettled = version === this.#seenVersion;
    this.#seenVersion = version;
    if (isSettled && version !== this.#loadedVersion) {
      this.#loadedVersion = version;
      this.#reload();
    }
    return checkMs;
  }

  #reload(): void {
    try {
      const found = readEnvironments(this.#file);
      const changed = JSON.stringify(found) !== JSON.stringify(this.#current);
      this.#problem = undefined;
      if (!changed) return;
      this.#current = found;
      const ids = found.map(({ id }) => id);
      this.#logger.info({ environments: ids }, 'reloaded the environments');
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!(error instanceof ExplainedError)) throw error;
      this.#problem = `${error.message}\nUntil you fix it, the environments stay as they were.`;
      this.#logger.warn({ reason: error.message }, 'cannot reload the environments');
    }
  }
}

/** Changes whenever the file does. A missing file has a version too. */
async function versionOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(file);
    return [dev, ino, size, mtimeMs].join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
