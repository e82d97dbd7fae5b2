import type { LocalWorkspace } from 'slack-stand-in';
import type { Random } from './random.ts';

type Fault = Parameters<LocalWorkspace['faults']['inject']>[0];

const methods = [
  '*',
  'chat.postMessage',
  'chat.postMessage',
  'chat.update',
  'chat.update',
  'conversations.history',
  'conversations.replies',
  'views.open',
] as const;

/** Temporary faults. The app must survive all of them. */
const faults: readonly [(random: Random) => Fault, ...((random: Random) => Fault)[]] = [
  (random) => ({ name: 'answer_lost', method: random.pick(methods) }),
  () => ({ name: 'answer_lost', method: 'chat.postMessage' }),
  (random) => ({
    name: 'answer_delayed',
    method: random.pick(methods),
    delayMs: random.between(50, 3_000),
  }),
  (random) => ({ name: 'rate_limited', method: random.pick(methods), retryAfterSeconds: 1 }),
  (random) => ({ name: 'server_error', method: random.pick(methods), times: random.between(1, 3) }),
  (random) => ({ name: 'html_answer', method: random.pick(methods) }),
  (random) => ({ name: 'connection_cut', method: random.pick(methods) }),
  () => ({ name: 'delivered_twice', kind: 'interactive' }),
  () => ({ name: 'delivered_twice', kind: 'slash_commands' }),
];

/** Faults of sockets. They are rare, because each one disconnects all replicas for a while. */
const socketFaults: readonly [Fault, ...Fault[]] = [
  { name: 'disconnect', reason: 'refresh_requested', graceMs: 500 },
  { name: 'disconnect', reason: 'warning', graceMs: 1_000 },
  { name: 'sockets_cut' },
];

/** Scopes that can be lost while all deliveries still arrive. */
const losableScopes = [
  'assistant:write',
  'channels:join',
  'channels:read',
  'chat:write',
  'chat:write.public',
  'files:write',
  'im:write',
  'links:write',
  'reactions:write',
  'usergroups:read',
  'users:read',
] as const;

/** Number of exchanges between Slack and the app until the scopes are back. */
const withoutScopes = { least: 5, most: 60 };

/**
 * Takes some scopes from the app from time to time, and gives them back.
 * @returns a function that stops it
 */
export function loseScopes(
  workspace: LocalWorkspace,
  random: Random,
  share: number,
): () => Promise<void> {
  const { scopes: all = [] } = workspace.installationIn(workspace.team.id) ?? {};
  const grant = (granted: string[]) => workspace.faults.inject({ name: 'partial_scopes', granted });
  let left = 0;
  const end = workspace.subscribe(({ type }) => {
    if (type !== 'traffic') return;
    left -= 1;
    if (left === 0) void grant(all);
    if (left > 0 || !random.chance(share)) return;
    left = random.between(withoutScopes.least, withoutScopes.most);
    const lost: string[] = [random.pick(losableScopes), random.pick(losableScopes)];
    void grant(all.filter((scope) => !lost.includes(scope)));
  });
  return async () => {
    end();
    await grant(all);
  };
}

/** Breaks a share of the traffic between Slack and the app. @returns a function that stops it */
export function injectSlackFaults(
  workspace: LocalWorkspace,
  random: Random,
  share: number,
): () => void {
  const desk = workspace.faults;
  const end = workspace.subscribe(({ type }) => {
    if (type !== 'traffic' || !random.chance(share)) return;
    if (desk.armed().length > mostArmed) desk.clear();
    const fault = random.chance(0.02) ? random.pick(socketFaults) : random.pick(faults)(random);
    // Don't wait, because it resolves only when the connections are closed.
    void desk.inject(fault);
  });
  return () => {
    end();
    desk.clear();
  };
}

/** Limit the armed faults, because those of rarely called methods would pile up and block all others. */
const mostArmed = 12;
