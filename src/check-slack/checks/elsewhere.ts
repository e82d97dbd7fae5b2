import { type Fields, fieldsOf } from '../../slack/connection/deliveries/delivery-address.ts';
import { type Check, judgeDone, judgeSeen } from '../check.ts';
import { deliveryOf, eventOf } from '../find.ts';

/** Lists all workspace IDs that Slack sent with a click. */
function workspacesIn({ user, team, view, message }: Fields): string {
  const shown = fieldsOf(view);
  const ids = {
    'user.team_id': fieldsOf(user)['team_id'],
    'team.id': fieldsOf(team)['id'],
    'view.team_id': shown['team_id'],
    'view.app_installed_team_id': shown['app_installed_team_id'],
    'message.team': fieldsOf(message)['team'],
  };
  const given = Object.entries(ids).filter(([, id]) => id !== undefined);
  return given.map(([name, id]) => `${name} ${id}`).join(', ');
}

export const workspaces: Check = {
  id: 'workspaces',
  title: 'Two workspaces of one organization',
  needs: 'person',
  async *run({ person }) {
    const places = [
      ["the app's Home", (body: Fields) => body['view'] !== undefined],
      ['a run message', (body: Fields) => body['message'] !== undefined],
    ] as const;
    for (const [place, isThere] of places) {
      const done = await person.does(
        `In the second workspace of the organization, select a button of ${place}`,
        deliveryOf('action', isThere),
      );
      yield judgeDone(`A click in ${place} names only workspaces`, done, {
        holds: ({ body }) => !/ E/.test(workspacesIn(body)),
        said: ({ body }) => workspacesIn(body),
        missing: 'no click arrived',
        means: 'The app takes the workspace from what it put into its button.',
      });
    }
  },
};

export const otherCompany: Check = {
  id: 'connect',
  title: 'A channel that is shared with another company',
  needs: 'person',
  async *run({ person, identity }) {
    const done = await person.does(
      'Share a channel with another sandbox and invite the app. Let someone from there send: @agent hello',
      eventOf('app_mention'),
    );
    yield judgeDone('A mention from another company names our workspace', done, {
      holds: ({ body }) => body['team_id'] === identity.answer['team_id'],
      said: ({ body }) => {
        const { authorizations, team_id: teamId, context_team_id: context } = body;
        const [first] = Array.isArray(authorizations) ? authorizations : [];
        return `team_id ${teamId}, context_team_id ${context}, authorizations[0].team_id ${fieldsOf(first)['team_id']}, is_ext_shared_channel ${body['is_ext_shared_channel']}`;
      },
      missing: 'no mention arrived',
      means: "With an organization's token, the app leaves out what it can't attribute.",
    });
    if (typeof done === 'string') return;
    yield judgeSeen(
      'People of another company start nothing',
      await person.sees('Were they rejected, without a run message?'),
      { means: 'Outsiders can start runs. Open an issue.' },
    );
  },
};

export const guest: Check = {
  id: 'guest',
  title: 'Guests',
  needs: 'person',
  async *run({ person }) {
    yield judgeSeen(
      'Guests find the app',
      await person.sees(
        'Sign in as a guest. Do they find the app, and can they open its messages?',
      ),
      { means: 'Guests never read why they may not start runs.' },
    );
  },
};
