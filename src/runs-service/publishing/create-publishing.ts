import type { PublishResult } from '../execution/run-executor.ts';
import { createCodeHosts } from './hosts/create-code-host.ts';
import { createPublishResult, type PublishResultOptions } from './publish-result.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import type { PublisherParts } from './publisher-parts.ts';

/** A run ends without its pull request if that takes longer. */
const waitMs = 2 * 60_000;

export type Publishing = { publisher: Publisher; publish: PublishResult };

/** Everything that takes changes of runs to code hosts. */
export function createPublishing(
  given: Omit<PublisherParts, 'codeHosts'> & Pick<PublishResultOptions, 'note'>,
): Publishing {
  const parts = { ...given, codeHosts: createCodeHosts() };
  const publisher = createPublisher(parts);
  return { publisher, publish: createPublishResult({ ...parts, publisher, waitMs }) };
}
