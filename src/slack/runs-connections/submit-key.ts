import type { ViewOutput } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import { PrivateAddressError } from 'runs-client/shared-dispatcher';
import type { ConnectionClients } from '../../following/connection-clients.ts';
import { connectionNameSchema, operatorConnection, ownKeyOf } from '../../requests/connection.ts';
import type { ConnectionChanges } from '../../store/connection-changes.ts';
import type { ConnectionKeys } from '../../store/connection-keys.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { connectionNameOf } from '../configuration/run-connections.ts';
import { runDefaults } from '../configuration/run-defaults.ts';
import { unlessLost } from '../connection/deliveries/acknowledge-in-time.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { ownerOf } from '../people/setting.ts';
import { updateOpenModal } from '../posting/modals.ts';
import { escapeText } from '../text/escape-text.ts';
import {
  keyFormIds,
  readAddForm,
  readKey,
  readKeyPlace,
  renderAddForm,
  renderChecking,
  renderDone,
  renderKeyForm,
} from './connections-view.ts';

type Deps = {
  keys: ConnectionKeys & ConnectionChanges;
  clients: ConnectionClients;
  settings: Settings;
  rights: Rights;
  ackWaitMs: number;
  /** Wakes workers after each change, because runs may be waiting for a key. */
  wake(): void;
};

type Refresh = (client: WebClient, viewer: RunViewer, viewId: string | undefined) => Promise<void>;
type Outcome = { errors: Record<string, string> } | { done: string };

/**
 * Registers the forms that store a key after the runs service accepts it. If the check is slow, the form says so and
 * shows the result later. Slack's delivery is never stored, because it contains the key.
 */
export function registerKeyForms(app: Listeners, deps: Deps, refresh: Refresh): void {
  on(keyFormIds.key, takeKey, (view, problem) => renderKeyForm(readKeyPlace(view), problem));
  on(keyFormIds.add, takeConnection, (view, problem) => renderAddForm(readAddForm(view), problem));

  function on(
    callbackId: string,
    take: (deps: Deps, viewer: RunViewer, view: ViewOutput) => Promise<Outcome>,
    renderAgain: (view: ViewOutput, problem: string) => ModalView,
  ): void {
    app.view(callbackId, async ({ ack, body, view, client, context }) => {
      const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
      const working = take(deps, viewer, view);
      const inTime = await withSoftTimeout(working, deps.ackWaitMs);
      if (inTime && 'errors' in inTime)
        return ack({ response_action: 'errors', errors: inTime.errors });
      const now = inTime ? renderDone(inTime.done) : renderChecking();
      const isShown = await ack({ response_action: 'update', view: now }).then(yes, unlessLost);
      const outcome = inTime ?? (await working);
      const isDone = 'done' in outcome;
      const answer = isDone
        ? renderDone(outcome.done)
        : renderAgain(view, Object.values(outcome.errors).join(' '));
      if (!inTime || !isShown) await updateOpenModal(client, view.id, answer);
      if (!isDone) return;
      deps.wake();
      await refresh(client, viewer, view.previous_view_id ?? undefined);
    });
  }
}

const yes = () => true;

async function takeKey(
  { keys, clients, rights }: Deps,
  viewer: RunViewer,
  view: ViewOutput,
): Promise<Outcome> {
  const { serviceId, isOwn, name } = readKeyPlace(view);
  const apiKey = readKey(view);
  const typos = findTypos({ key: apiKey });
  if (typos.key) return { errors: { key: typos.key } };
  const isOperators = serviceId === operatorConnection;
  const [rejection, named] = await Promise.all([
    isOwn ? rights.denyOpen(viewer) : rights.denySettings(viewer, 'workspace'),
    keys.list(viewer.teamId),
  ]);
  const service = named.find(({ id }) => id === serviceId);
  const baseUrl = isOperators && isOwn ? clients.operatorAddress : service?.baseUrl;
  if (rejection || !baseUrl) return { errors: { key: rejection ?? removed } };
  const connectionId = isOwn ? ownKeyOf(serviceId, viewer) : serviceId;
  const errors = await findKeyErrors(() => clients.try({ baseUrl, apiKey }, connectionId));
  // Show an address error at the key field, because this form has no address field.
  if (errors) return { errors: { key: errors.key ?? errors.url ?? '' } };
  const isStored = isOwn
    ? await keys.connect(viewer, serviceId, { baseUrl, apiKey })
    : await keys.replaceKey(viewer, serviceId, apiKey);
  if (!isStored) return { errors: { key: removed } };
  const shown = escapeText(name, 60);
  return {
    done: isOwn
      ? `Your new runs on *${shown}* use your own key. Runs that started with the workspace's key keep it.`
      : `*${shown}* uses the new key from now on, including active runs.`,
  };
}

async function takeConnection(
  { keys, clients, rights, settings }: Deps,
  viewer: RunViewer,
  view: ViewOutput,
): Promise<Outcome> {
  const { name, url: baseUrl, key: apiKey, isForAll } = readAddForm(view);
  const typos = findTypos({ name, url: baseUrl, key: apiKey });
  if (Object.keys(typos).length > 0) return { errors: typos };
  const rejection = await rights.denySettings(viewer, 'workspace');
  if (rejection) return { errors: { name: rejection } };
  const errors = await findKeyErrors(() => clients.try({ baseUrl, apiKey }, ''));
  if (errors) return { errors };
  const id = await keys.add(viewer, { name, baseUrl, apiKey });
  if (!id) return { errors: { name: taken } };
  if (isForAll) {
    const owner = ownerOf('workspace', viewer);
    await runDefaults.change(settings, owner, viewer.userId, (defaults) => {
      // Drop the default environment, because it belongs to the previous service.
      const { environment_id: before, ...others } = defaults;
      const isSame = connectionNameOf(defaults) === name;
      return { ...others, ...(isSame && { environment_id: before }), connection: name };
    });
  }
  return {
    done: isForAll
      ? `*${name}* is added as the workspace default. Active runs aren't affected.`
      : `*${name}* is added. Choose it in settings, in the form, or with \`connection=${name}\`.`,
  };
}

/** Drops a removed connection from the defaults of the workspace. */
export async function forgetDefault(
  settings: Settings,
  viewer: RunViewer,
  name: string | undefined,
): Promise<void> {
  const owner = ownerOf('workspace', viewer);
  if (name === undefined) return;
  await runDefaults.change(settings, owner, viewer.userId, (defaults) => {
    const { connection: _, ...others } = defaults;
    return connectionNameOf(defaults) === name ? others : undefined;
  });
}

const removed = 'This connection was removed.';
const taken =
  'This name is taken, or there are already 20 connections. Choose another name, or remove one.';

type KeyErrors = { name?: string; url?: string; key?: string };

/** Options for checking a key. The check isn't retried, because a person is watching the modal. */
const callOptions = { timeoutMs: 10_000, maxRetries: 0 } as const;

/** Finds problems in the typed values before anything is sent. */
function findTypos({ name, url, key }: { name?: string; url?: string; key: string }) {
  const errors: KeyErrors = {
    ...(name !== undefined && nameProblem(name)),
    ...(url !== undefined && !isServiceUrl(url) && { url: badUrl }),
    ...(!/^[\x21-\x7e]{1,1000}$/.test(key) && { key: badKey }),
  };
  return errors;
}

function nameProblem(name: string): KeyErrors {
  if (name === operatorConnection) return { name: operatorsName };
  return connectionNameSchema.safeParse(name).success ? {} : { name: badName };
}

function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(text);
  const isPlain = !username && !password && !search && !hash;
  return isPlain && /^https?:$/.test(protocol) && pathname.endsWith('/api/v1');
}

/** Tests a key by listing one run. Returns undefined if the service accepts the key. */
async function findKeyErrors(create: () => RunsClient): Promise<KeyErrors | undefined> {
  try {
    await create().runs.list({ limit: 1 }, callOptions);
    return undefined;
  } catch (error) {
    // Report a bad address, because the client throws this error for an address that would send the key unencrypted.
    if (error instanceof TypeError) return { url: badUrl };
    if (!(error instanceof RunsApiError)) throw error;
    return errorsOf(error);
  }
}

function errorsOf({ code, cause }: RunsApiError): KeyErrors | undefined {
  switch (code) {
    case 'unauthorized':
      return { key: 'The runs service rejected this key.' };
    // Accept a key that the service knows but that isn't allowed to list runs.
    case 'forbidden':
      return undefined;
    case 'not_found':
    case 'bad_response':
    case 'bad_request':
    case 'client_error':
      return { url: "There's no runs API at this address." };
    case 'connection':
      return { url: cause instanceof PrivateAddressError ? privateAddress : unreachable };
    default:
      return { key: "The runs service couldn't check this key. Try again in a moment." };
  }
}

const badName = 'Use up to 40 lowercase letters, digits, dots, hyphens and underscores.';
const operatorsName = `"${operatorConnection}" is the connection of the app's operator. Choose another name.`;
const badUrl = 'Enter an https URL that ends in /api/v1.';
const badKey = 'A key has no spaces or line breaks.';
const unreachable = "The runs service can't be reached at this address.";
const privateAddress =
  "This address is in a private network. The app's operator can allow it in CONNECTION_HOSTS.";
