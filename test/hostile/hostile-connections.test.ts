import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { describe, expect, it } from 'vitest';
import { renderConnections } from '../../src/slack/runs-connections/connections-view.ts';
import {
  renderAddForm,
  renderChecking,
  renderDone,
  renderKeyForm,
} from '../../src/slack/runs-connections/key-form.ts';
import { hostileTexts } from './hostile-texts.ts';

/** What Slack gets: JSON knows no `undefined`. */
const sent = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
const isTaken = (view: object) =>
  expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);
const problem = { code: 'unauthorized', message: 'Wrong key', since: 0 };

it('as many connections as a workspace can have make a modal that Slack takes', () => {
  const connections = Array.from({ length: 21 }, (_, index) => ({
    serviceId: `${index}${'s'.repeat(60)}`,
    name: `${index}${'n'.repeat(38)}`,
    host: 'h'.repeat(253),
    problem,
    ownKey: { problem },
  }));
  isTaken(renderConnections({ connections, isAdmin: true, usual: 'default' }));
});

describe.each(hostileTexts)('a text of %s', (_, text) => {
  it('as a name or a host, makes modals that Slack takes', () => {
    const connection = { serviceId: 's1', name: text, host: text, problem, ownKey: { problem } };
    isTaken(renderConnections({ connections: [connection], isAdmin: true, usual: text }));
    // As long as a name can be.
    const place = { serviceId: 's1', name: [...text].slice(0, 40).join('') };
    isTaken(renderKeyForm({ ...place, isOwn: true }));
    isTaken(renderKeyForm({ ...place, isOwn: false }));
    isTaken(renderAddForm());
    isTaken(renderAddForm({ name: text, url: text, isForAll: false }, 'No runs API there.'));
    isTaken(renderChecking());
    isTaken(renderDone('Your next runs use your own key.'));
  });
});
