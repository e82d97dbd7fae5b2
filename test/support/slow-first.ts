import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Files that take minutes, because they start many processes one after another. */
const slow =
  /\/(test\/walls|trials)\/|\/(killed[^/]*|shutdown|crash|setup|using-the-client|clocks|create-trials)\.test\.ts$/;

/**
 * Starts slow files first, each project's before its others. Without it, larger files are first, and at the end of a test
 * run one slow file keeps one core busy for minutes while the others have nothing to do.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) =>
      `${project.name} ${slow.test(moduleId) ? 0 : 1}`;
    return sorted.toSorted((one, other) => rank(one).localeCompare(rank(other)));
  }
}
