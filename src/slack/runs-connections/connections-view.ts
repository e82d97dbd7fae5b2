/** The modal that lists connections, with a person's own keys. */
import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { RequestProblem } from '../../requests/run-progress.ts';
import { actions, button, context, dangerConfirmation, modal, section } from '../text/blocks.ts';
import { code, escapeText } from '../text/escape-text.ts';

export const connectionActions = {
  own: 'connections:own',
  disconnect: 'connections:disconnect',
  replace: 'connections:replace',
  remove: 'connections:remove',
  add: 'connections:add-new',
} as const;

type ShownConnection = {
  serviceId: string;
  name: string;
  /** Undefined for the operator's, which has no business here. */
  host: string | undefined;
  problem: RequestProblem | null;
  /** What the person's own key has met; undefined without one. */
  ownKey: { problem: RequestProblem | null } | undefined;
};

export type ConnectionsContent = {
  connections: readonly ShownConnection[];
  isAdmin: boolean;
  /** Of the workspace. */
  usual: string;
};

export function renderConnections({ connections, isAdmin, usual }: ConnectionsContent): ModalView {
  return connectionsModal([
    context('A connection is a runs service and a key for it. Each run uses one connection.'),
    ...connections.flatMap((each) => renderConnection(each, { isAdmin, usual })),
    ...(isAdmin ? [actions([button(connectionActions.add, 'Add connection')])] : []),
  ]);
}

export const connectionsModal = (blocks: KnownBlock[]): ModalView =>
  modal({ title: 'Connections', blocks });

function renderConnection(
  connection: ShownConnection,
  { isAdmin, usual }: Pick<ConnectionsContent, 'isAdmin' | 'usual'>,
): KnownBlock[] {
  const { name, host, ownKey } = connection;
  const where = host === undefined ? "the app operator's service" : code(host, 200);
  const lines = [
    `*${escapeText(name, 60)}* (${where})${name === usual ? ' · workspace default' : ''}`,
    ...(isRefused(connection.problem) && host !== undefined
      ? ["⚠️ The service refuses the workspace's key."]
      : []),
    ownKey ? ownKeyLine(ownKey.problem) : "Your runs use the workspace's key.",
  ];
  return [section(lines.join('\n')), actions(buttonsOf(connection, isAdmin))];
}

const ownKeyLine = (problem: RequestProblem | null) =>
  isRefused(problem)
    ? '⚠️ The service refuses your key. Connect a new one.'
    : '🔑 Your runs use your own key.';

const isRefused = (problem: RequestProblem | null) => problem?.code === 'unauthorized';

function buttonsOf({ serviceId, name, host, ownKey, problem }: ShownConnection, isAdmin: boolean) {
  const value = serviceId;
  const help = (isUrgent: boolean) => (isUrgent ? { style: 'primary' as const } : {});
  const own: Button[] = [
    button(connectionActions.own, ownKey ? 'Replace your key' : 'Connect your key', {
      value,
      ...help(ownKey !== undefined && isRefused(ownKey.problem)),
    }),
    ...(ownKey ? [disconnectButton(value)] : []),
  ];
  if (!isAdmin || host === undefined) return own;
  return [
    ...own,
    button(connectionActions.replace, "Replace workspace's key", {
      value,
      ...help(isRefused(problem)),
    }),
    removeButton(value, name),
  ];
}

const disconnectButton = (value: string): Button =>
  button(connectionActions.disconnect, 'Disconnect your key', {
    value,
    confirm: dangerConfirmation(
      'Disconnect your key?',
      "Your active runs that use it can't be followed anymore.",
      'Disconnect',
      'Keep key',
    ),
  });

const removeButton = (value: string, name: string): Button =>
  button(connectionActions.remove, 'Remove', {
    value,
    style: 'danger',
    confirm: dangerConfirmation(
      'Remove this connection?',
      `${name} and people's keys for it are deleted. Runs on it can't be followed anymore.`,
      'Remove',
      'Keep',
    ),
  });
