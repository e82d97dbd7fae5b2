import type { Actor, Message } from 'slack-stand-in';
import { expect } from 'vitest';
import { startOAuthProduct } from './oauth-product.ts';
import { startProduct, textOf } from './product.ts';

export const organization = 'E07STARSHIP';
export const first = { teamId: 'T06TEAM0001', channelId: 'C06GEN0001', admin: 'U06ADM0001' };
export const second = { teamId: 'T06TEAM0002', channelId: 'C06GEN0002', admin: 'U06ADM0002' };
export const outside = { teamId: 'T06TEAM0003', channelId: 'C06GEN0003', admin: 'U06ADM0003' };
export type Place = typeof first;

type Options = {
  /** True to use one token of the organization, instead of OAuth. */
  isByToken?: boolean;
  /** Workspace that Slack names as the person's, wherever they act. By default the first one. */
  namedTeamId?: string;
  /**
   * True if each workspace's admin installs the app, the first one first. By default it's installed in the
   * organization.
   */
  isEach?: boolean;
} & Pick<NonNullable<Parameters<typeof startOAuthProduct>[0]>, 'environments' | 'policyFile'>;

/** Starts the app in two workspaces of an organization, with one person in both, and in a workspace outside of it. */
export async function startTwoWorkspaces(options: Options = {}) {
  const { namedTeamId, isByToken } = options;
  const { workspace, installApp } = await (isByToken ? startWithToken() : startWithOAuth(options));
  const { person } = workspace.as('U06MEM0001');
  workspace.as(person.id).joinsTeam(second.teamId, [second.channelId]);
  if (namedTeamId) person.namedTeamId = namedTeamId;
  await installApp();

  const messagesIn = ({ teamId, channelId }: Place) =>
    workspace
      .messagesIn(channelId)
      .filter(({ userId }) => userId === workspace.installationIn(teamId)?.botUserId);
  const messageShowing = (place: Place, words: string, isIt: (message: Message) => boolean) =>
    workspace.until(() =>
      messagesIn(place).findLast((each) => isIt(each) && textOf(each).includes(words)),
    );
  return {
    workspace,
    person,
    /** Acts as the person with a client that shows this workspace. */
    personIn: (place: Place) => workspace.as(person.id, place.teamId),
    messagesIn,
    /** Waits for the newest run message that shows this text. */
    runShowing: (place: Place, words: string) =>
      messageShowing(
        place,
        words,
        ({ blocks, visibleTo }) => !visibleTo && blocks?.[0]?.['type'] === 'header',
      ),
    /** Waits for a message that only the person sees. */
    answerShowing: (place: Place, words: string) =>
      messageShowing(place, words, ({ visibleTo }) => visibleTo === person.id),
    modalShowing: (actor: Actor, words: string) =>
      workspace.until(() => {
        const view = actor.modal();
        return view && textOf(view.content).includes(words) ? view : undefined;
      }),
    homeShowing: (place: Place, words: string) =>
      workspace.until(() => {
        const view = workspace.as(person.id, place.teamId).home();
        return view && textOf(view.content).includes(words) ? view : undefined;
      }),
  };
}

async function startWithOAuth({ isEach, environments, policyFile }: Options) {
  const product = await startOAuthProduct({
    moreTeams: 3,
    inOrganization: 2,
    environments,
    policyFile,
  });
  const { workspace, startBot, install } = product;
  async function installApp(): Promise<void> {
    await startBot();
    if (isEach) {
      await install(first.admin);
      await install(second.admin);
    } else {
      await install(first.admin, '', { inOrganization: true });
      await workspace.giveTeams(organization, [first.teamId, second.teamId]);
    }
    await install(outside.admin);
  }
  return { workspace, installApp };
}

async function startWithToken() {
  const inSlack = { moreTeams: 3, inOrganization: 2, forOrganization: true };
  const { workspace, startBot } = await startProduct({}, inSlack);
  async function installApp(): Promise<void> {
    await workspace.giveTeams(organization, [first.teamId, second.teamId]);
    await startBot();
  }
  return { workspace, installApp };
}

export type TwoWorkspaces = Awaited<ReturnType<typeof startTwoWorkspaces>>;

/** Expects that the workspace's messages and Home tab don't contain this text. */
export function expectNothingOf(words: string, product: TwoWorkspaces, place: Place): void {
  expect(textOf(product.messagesIn(place))).not.toContain(words);
  expect(textOf(product.personIn(place).home()?.content)).not.toContain(words);
}
