import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The order of files. What matches none of these comes last. */
const ranks = [
  /** Files that take minutes, because they start many processes one after another. */
  /\/(test\/walls|trials)\/|\/(killed[^/]*|shutdown|crash|setup|using-the-client|clocks|create-trials)\.test\.ts$/,
  /**
   * Files that start hundreds of processes, like git. Each start copies the page tables of the worker, so it costs twice as
   * much in a worker that has grown to 500 MB.
   */
  /\/test\/runs-service\//,
];

/**
 * Starts slow files first. Without it, larger files are first, and at the end of a test run one slow file keeps one core
 * busy for minutes while the others have nothing to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const found = ranks.findIndex((pattern) => pattern.test(moduleId));
      return found < 0 ? ranks.length : found;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
