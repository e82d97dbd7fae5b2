import { setMaxListeners } from 'node:events';
import type { DeliverTo } from './deliveries/deliveries.ts';
import type { Delivery } from './deliveries/delivery.ts';
import { installApp, wholeOrganization } from './installing/installing.ts';
import { createBackground } from './lib/background.ts';
import { type Listener, until } from './lib/changes.ts';
import { newSecret } from './lib/ids.ts';
import type { JsonObject } from './lib/json.ts';
import { stderrLogger } from './lib/logger.ts';
import type { AppManifest } from './manifest.ts';
import { createPage } from './page-server/page.ts';
import { Actor } from './people/actor.ts';
import { createRoutes } from './routes.ts';
import { WorkspaceServer } from './server.ts';
import { actorDepsOf, createWorkspace, type LocalWorkspaceOptions } from './workspace.ts';
import { findInstallation, messagesIn, seenIn } from './world/directory.ts';
import { changeUserGroup } from './world/membership.ts';
import { channelsWithApp, seedWorld } from './world/seed.ts';
import { readStateFile } from './world/state-file.ts';
import type { Installation, World } from './world/world.ts';

export type { Delivery } from './deliveries/delivery.ts';
export type { Actor } from './people/actor.ts';
export type { LocalWorkspaceOptions } from './workspace.ts';
export type { Message, View } from './world/world.ts';
export type LocalWorkspace = ReturnType<typeof createLocalWorkspace>;

/**
 * Creates a Slack workspace on this machine. It's strict enough to trust in tests and good enough to try an app in a
 * browser. See docs/decisions/032-tests-run-against-a-local-slack.md.
 */
export function createLocalWorkspace(options: LocalWorkspaceOptions) {
  const { world, home, installation } = openWorld(options);
  const workspace = createWorkspace(options, world, () => server.url);
  const { changes, deliveries, socketMode, faults, traffic, sessions } = workspace;
  const stopped = new AbortController();
  // Allow any number of listeners, because every delayed response adds one and Node would warn.
  setMaxListeners(0, stopped.signal);
  const background = createBackground(workspace, options.stateFile, stopped.signal);
  const as = (nameOrId: string, inTeam?: string) =>
    new Actor(seenIn(personNamed(world, nameOrId), inTeam), actorDepsOf(workspace));
  const page = createPage(workspace, {
    as,
    folder: options.pageFolder,
    welcome: options.welcome,
  });
  const controlToken = newSecret();
  const { logger = stderrLogger, enforceRateLimits: isLimited = false, port = 0 } = options;
  const routes = createRoutes(workspace, {
    logger,
    isLimited,
    controlToken,
    stopped: stopped.signal,
  });
  const server = new WorkspaceServer({
    app: routes.route('/', page.routes),
    port,
    upgrades: {
      '/page/feed': page.accept,
      '/link/': (socket, url) => socketMode.accept(socket, url.searchParams.get('ticket') ?? ''),
    },
  });
  const { id: appId, appToken, signingSecret, clientId, clientSecret } = world.app;

  return {
    async start(): Promise<void> {
      await server.start();
      background.start();
    },
    async stop(): Promise<void> {
      stopped.abort();
      page.stop();
      await deliveries.stop();
      await background.stop();
      await server.stop();
    },
    /** URL of the workspace, `http://127.0.0.1:<port>`. Throws before the workspace has started. */
    get url() {
      return server.url;
    },
    /** Base URL of the workspace's Web API, for the app's option `slackApiUrl`. */
    get apiUrl() {
      return `${server.url}/api/`;
    },
    botToken: installation.botToken,
    appToken,
    signingSecret,
    clientId,
    clientSecret,
    /** Returns the number of Socket Mode connections. */
    connections: () => socketMode.connections,
    /** Bearer token that `/control/faults` requires. */
    controlToken,
    team: home,
    people: world.people,
    channels: world.channels,
    userGroups: world.userGroups,
    /** Changes the members of a user group. */
    changesGroup: (groupId: string, memberIds: readonly string[]) =>
      changeUserGroup(workspace, groupId, memberIds),
    bot: { userId: installation.botUserId, botId: installation.botId, appId },
    deliverTo: (target: DeliverTo) => deliveries.deliverTo(target),
    /** Sends the app a payload once, unchanged, and returns its answer. */
    deliver: (delivery: Delivery) => deliveries.send(delivery),
    verifyRequestUrl: (url: string) => deliveries.verifyRequestUrl(url),
    /** Resolves when all deliveries and retries are done. */
    settled: () => deliveries.settled(),
    /**
     * Returns an object that acts as a person, found by ID, handle or name. If the person belongs to several
     * workspaces, `inTeam` selects the workspace in their client.
     */
    as,
    /** Returns all messages of a conversation or of one thread, including ephemeral ones. */
    messagesIn: (channelId: string, { thread }: { thread?: string } = {}) =>
      messagesIn(world, channelId, thread),
    /** Returns the status of the app's session in a thread, as people see it. */
    sessionStatus: (channelId: string, threadTs: string) => sessions.shown(channelId, threadTs),
    /** Starts a workflow step of the app, as Workflow Builder does. */
    runsWorkflowStep: (callbackId: string, inputs: JsonObject, teamId = home.id) =>
      workspace.workflowSteps.start(callbackId, inputs, teamId),
    /**
     * Reinstalls the app with all scopes of the manifest, as an admin does. Returns the bot token, which may stay the
     * same.
     */
    installAgain: (options?: { keepsToken: boolean }) =>
      workspace.installations.installAgain(installation, options).botToken,
    /** Returns the app's installation in a team, as Slack stores it. */
    installationIn: (teamId: string): Installation | undefined => findInstallation(world, teamId),
    /** Installs the app in a team, as an admin does, but without the OAuth pages. */
    installIn: (teamId: string, scopes: readonly string[]): Installation =>
      workspace.installations.install(teamId, adminOf(world, teamId)?.id ?? '', scopes),
    /**
     * Adds the app to workspaces of an organization, as an admin does. The app must be installed in the organization.
     */
    giveTeams: (organizationId: string, teamIds: readonly string[]) =>
      workspace.organizations.give(organizationId, teamIds),
    /** Removes the app from workspaces of an organization, as an admin does. */
    takeTeams: (organizationId: string, teamIds: readonly string[]) =>
      workspace.organizations.take(organizationId, teamIds),
    /** Returns a code for `oauth.v2.access`, as if this person had clicked *Allow* on the consent page. */
    grantCode: ({ userId, ...grant }: { userId: string; scopes: string[]; redirectUri: string }) =>
      new URL(workspace.oauth.allow({ ...grant, state: '' }, userId)).searchParams.get('code'),
    faults,
    traffic,
    subscribe: (listener: Listener) => changes.subscribe(listener),
    /** Waits for a condition, which is checked after every change in the workspace. */
    until: <T>(condition: () => T | undefined | null | false, wait?: { timeoutMs?: number }) =>
      until(changes, condition, wait),
  };
}

/**
 * Opens the saved world. Without a saved world, opens a new one with the app installed. Grants the manifest's scopes,
 * even if the manifest has changed.
 */
function openWorld(options: LocalWorkspaceOptions) {
  const { manifest, stateFile, moreTeams, inOrganization, forOrganization } = options;
  const { bot, bot_optional: optional } = manifest.oauth_config.scopes;
  const { leftOut = [] } = options;
  const wrong = leftOut.find((scope) => !optional.includes(scope));
  if (wrong) throw new Error(`${wrong} isn't an optional scope of the manifest`);
  const saved = stateFile ? readStateFile(stateFile) : undefined;
  const { name } = manifest.display_information;
  const world = saved ?? seedWorld(name, moreTeams, inOrganization, forOrganization);
  const home = world.teams[0];
  if (!home) throw new Error('the saved workspace has no team');
  const existing = findInstallation(world, forOrganization ? wholeOrganization : home.id);
  const installation =
    existing ??
    (forOrganization ? installForAll(world, manifest) : installAtHome(world, home.id, manifest));
  installation.scopes = bot.filter((scope) => !leftOut.includes(scope));
  return { world, home, installation };
}

function installAtHome(world: World, teamId: string, manifest: AppManifest): Installation {
  const installedBy = world.people[0]?.id ?? '';
  return inItsChannels(world, installApp(world, { manifest, teamId, installedBy }));
}

function inItsChannels(world: World, installation: Installation): Installation {
  for (const channel of world.channels)
    if (channelsWithApp.includes(channel.id)) channel.memberIds.push(installation.botUserId);
  return installation;
}

function installForAll(world: World, manifest: AppManifest): Installation {
  const [organization] = world.organizations;
  if (!organization) throw new Error('no team is in an organization');
  const installedBy = adminOf(world, organization.teamIds[0] ?? '')?.id ?? '';
  const whole = { teamId: wholeOrganization, enterpriseId: organization.id, installedBy };
  return inItsChannels(world, installApp(world, { manifest, ...whole }));
}

const adminOf = ({ people }: World, teamId: string) =>
  people.find(({ role, ...each }) => each.teamId === teamId && role === 'admin');

function personNamed(world: World, nameOrId: string) {
  const isCalled = (names: string[]) => names.includes(nameOrId);
  const person = world.people.find(({ id, name, realName }) => isCalled([id, name, realName]));
  if (!person) throw new Error(`no one in the workspace is called ${nameOrId}`);
  return person;
}
