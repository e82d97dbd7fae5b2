import { stat } from 'node:fs/promises';
import { ExplainedError } from '../explained-error.ts';
import type { Logger } from '../logger.ts';
import { Loop } from '../time/loop.ts';

const checkMs = 1_000;

type ReloadedFileOptions<Content> = {
  file: string;
  /**
   * Reads and checks the file.
   * @throws ExplainedError when the file is invalid
   */
  read(file: string): Content;
  /** Name of the contents for the log, in the plural: "environments". */
  what: string;
  /** Returns a description of the content for the log. */
  describe(content: Content): unknown;
  logger: Logger;
};

/**
 * Reloads a file when it changes. If the file becomes invalid or is missing, keeps the last content and sets `problem`.
 * Polls, because watchers miss files that an editor replaces.
 */
export class ReloadedFile<Content> {
  readonly #parts: ReloadedFileOptions<Content>;
  readonly #loop = new Loop(() => this.#check());
  readonly #listeners: (() => void)[] = [];
  #current: Content;
  #problem: string | undefined;
  #loadedVersion: string | undefined;
  #seenVersion: string | undefined;

  /**
   * Reads the file for the first time.
   * @throws ExplainedError when the file is invalid
   */
  constructor(parts: ReloadedFileOptions<Content>) {
    this.#parts = parts;
    this.#current = parts.read(parts.file);
  }

  current(): Content {
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

  /**
   * Reloads the file if it has changed since the last load, but not since the last check. Otherwise, someone may still
   * be writing it.
   */
  async #check(): Promise<number> {
    const version = await versionOf(this.#parts.file);
    const isSettled = version === this.#seenVersion;
    this.#seenVersion = version;
    if (isSettled && version !== this.#loadedVersion) {
      this.#loadedVersion = version;
      this.#reload();
    }
    return checkMs;
  }

  #reload(): void {
    const { file, read, what, describe, logger } = this.#parts;
    try {
      const found = read(file);
      const changed = JSON.stringify(found) !== JSON.stringify(this.#current);
      this.#problem = undefined;
      if (!changed) return;
      this.#current = found;
      logger.info({ [what]: describe(found) }, `reloaded the ${what}`);
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!(error instanceof ExplainedError)) throw error;
      this.#problem = `${error.message}\nUntil then, the last valid ${what} stay in effect.`;
      logger.warn({ reason: error.message }, `cannot reload the ${what}`);
    }
  }
}

/** Returns a text that changes whenever the file does, even if the file is deleted or created. */
async function versionOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(file);
    return [dev, ino, size, mtimeMs].join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
