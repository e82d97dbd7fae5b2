import type { AgentConfig } from 'runs-client/contract';
import { withSoftTimeout } from '../../lib/time/soft-timeout.ts';
import { shorten } from '../text/escape-text.ts';
import { connectionNameOf, type RunConnections } from './run-connections.ts';
import type { Asker } from './run-defaults.ts';

const mostNames = 8;

type EnvironmentErrorParts = {
  connections: Pick<RunConnections, 'catalogFor'>;
  /** How long an acknowledgement waits for the service. */
  ackWaitMs: number;
};

/**
 * Why this environment can't be used: the runs service doesn't list it. Undefined when the service is slow: then it
 * refuses the run itself, and the run message says so.
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
  const way = `To try it anyway, type /agent run env=${shorten(id, 40)} …`;
  return `There's no environment ${shorten(id, 60)}. Available: ${names.join(', ')}${more}. ${way}`;
}
