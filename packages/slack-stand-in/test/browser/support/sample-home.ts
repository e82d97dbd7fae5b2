import type { HomeView, KnownBlock } from '@slack/types';
import { mrkdwn, option, plain } from './sample-modal.ts';

const runs = [
  { id: 'r1', title: 'Fix the login redirect', creator: 'U04ADALOVEL', state: 'Running' },
  { id: 'r2', title: 'Upgrade the compiler', creator: 'U04GRACEHOP', state: 'Succeeded' },
  { id: 'r3', title: 'Why is checkout slow?', creator: 'U04GRACEHOP', state: 'Failed' },
];

/** Returns a list of runs, of everyone or of one creator. */
export function sampleHome(creator: string | undefined): HomeView {
  const shown = runs.filter((run) => creator === undefined || run.creator === creator);
  return {
    type: 'home',
    blocks: [
      { type: 'header', text: plain('Runs of the team') },
      {
        type: 'actions',
        block_id: 'filters',
        elements: [
          {
            type: 'users_select',
            action_id: 'creator',
            placeholder: plain('Everyone'),
            ...(creator && { initial_user: creator }),
          },
          { type: 'button', action_id: 'new', style: 'primary', text: plain('New run') },
        ],
      },
      { type: 'divider' },
      ...shown.map(
        ({ id, title, creator: by, state }): KnownBlock => ({
          type: 'section',
          block_id: id,
          text: mrkdwn(`*${title}*\n${state} · <@${by}>`),
          accessory: {
            type: 'overflow',
            action_id: 'row',
            options: [option('open', 'Open'), option('again', 'Run again')],
          },
        }),
      ),
    ],
  };
}
