import { withSoftTimeout } from 'base/time/soft-timeout';
import type { AgentConfig } from 'runs-client/contract';
import type { Asker } from '../people/setting.ts';
import { shorten } from '../text/escape-text.ts';
import { connectionNameOf, type RunConnections } from './run-connections.ts';

const mostNames = 8;

export type EnvironmentErrorParts = {
  connections: Pick<RunConnections, 'catalogFor'>;
  /** How long an acknowledgement waits for the service. */
  ackWaitMs: number;
};

/**
 * Why this environment can't be used, in plain text: the runs service doesn't list it. Undefined if the service is slow,
 * because it then rejects the run itself, and the run message says so.
 */
export async function findEnvironmentError(
  { connections, ackWaitMs }: EnvironmentErrorParts,
  asker: Asker,
  config: AgentConfig,
): Promise<string | undefined> {
  const { environment_id: id } = config;
  const ask = async (wanted: string) =>
    (await connections.catalogFor(asker, connectionNameOf(config))).listWithout(wanted);
  const listed = id ? await withSoftTimeout(ask(id), ackWaitMs) : undefined;
  if (!id || !listed) return undefined;
  const names = listed.slice(0, mostNames).map((each) => shorten(each.id, 40));
  const more = listed.length > mostNames ? ` and ${listed.length - mostNames} more` : '';
  return `There's no environment ${shorten(id, 60)}. Available: ${names.join(', ')}${more}.`;
}
