import { type Check, type CheckContext, judge, judgeDone, judgeSeen, saidBy } from '../check.ts';
import { callOf, eventOf, runMessage } from '../find.ts';

const minuteMs = 60_000;

const startLongRun = ({ person, channel, channelName }: CheckContext) =>
  person.does(
    `In ${channelName}, send: /agent run wait 10 minutes`,
    runMessage((sent) => sent['channel'] === channel),
  );

const noRun = { missing: 'no run message', means: 'Open an issue.', said: () => 'started' };

export const session: Check = {
  id: '10',
  title: 'The session of a run',
  needs: 'person',
  async *run(context) {
    const { person, record, patienceMs, signal } = context;
    const waiting = { withinMs: patienceMs, signal };
    const seen = record.fromNow();
    const started = await startLongRun(context);
    yield judgeDone('A run starts', started, noRun);
    if (typeof started === 'string') return;
    const { ts } = started.seen.answer;
    const statusOf = (isIt: (status: unknown) => boolean) => () =>
      callOf(
        'agents.sessions.setStatus',
        ({ status, thread_ts: thread }) => thread === ts && isIt(status),
      )(seen());
    const working = await record.until(
      statusOf((status) => status === 'processing'),
      waiting,
    );
    yield judge('Slack takes the status of a run that works', {
      holds: working?.answer['ok'] === true,
      said: working ? saidBy(working.answer) : 'not sent',
      means: 'Threads of runs have no status, and no Stop button.',
    });
    const stopped = await person.does(
      'Open the thread of that run message and select Stop',
      eventOf('agent_session_stopped'),
    );
    yield judgeDone('Stop reaches the app', stopped, {
      holds: ({ event }) => event['thread_ts'] === ts,
      said: ({ event }) => (event['thread_ts'] === ts ? 'with its thread' : 'with another thread'),
      missing: 'no agent_session_stopped arrived',
      means: 'Stop does nothing. People cancel with the button of the run message.',
    });
    if (typeof stopped === 'string') return;
    const over = await record.until(
      statusOf((status) => status !== 'processing'),
      waiting,
    );
    yield judge('The status goes when the run is canceled', {
      holds: over?.answer['ok'] === true,
      said: over ? `${over.sent['status']}: ${saidBy(over.answer)}` : 'not sent',
      means: 'A canceled run seems to work for an hour.',
    });
  },
};

export const links: Check = {
  id: '11',
  title: 'Links to sessions',
  needs: 'person',
  async *run(context) {
    const { person, record, linkDomain, patienceMs, signal } = context;
    const waiting = { withinMs: patienceMs, signal };
    const started = await startLongRun(context);
    yield judgeDone('A run starts', started, noRun);
    if (typeof started === 'string') return;
    const { ts } = started.seen.answer;
    const isLink = new RegExp(`https://${linkDomain}/[^"\\\\|>\\s]+`);
    const findLink = () => {
      const updates = record.all.calls.filter(({ answer }) => answer['ts'] === ts);
      return isLink.exec(JSON.stringify(updates.map(({ sent }) => sent['blocks'])))?.[0];
    };
    const link = await record.until(findLink, waiting);
    if (!link)
      return yield judge('A run has a session link', {
        holds: undefined,
        said: 'no link',
        means: noRun.means,
      });
    const seen = record.fromNow();
    const posted = await person.does(
      `In the same channel, send this link: ${link}`,
      eventOf('link_shared'),
    );
    yield judgeDone('Links to sessions reach the app', posted, {
      said: () => 'link_shared',
      missing: 'no link_shared arrived; is the domain of the link in unfurl_domains?',
      means: 'Links have no card.',
    });
    if (typeof posted === 'string') return;
    const unfurled = await record.until(() => callOf('chat.unfurl')(seen()), waiting);
    const hasCard = await person.sees('Is there a card below the link?');
    yield judge('A link gets a card', {
      holds: unfurled?.answer['ok'] === true ? hasCard : false,
      said: `${unfurled ? saidBy(unfurled.answer) : 'not sent'}, ${hasCard === false ? 'not shown' : 'shown'}`,
      means: 'Look at Work Object Previews in the settings of the app.',
    });
  },
};

export const step: Check = {
  id: '12',
  title: 'A step of a workflow',
  needs: 'person',
  async *run({ person, record, channelName }) {
    const seen = record.fromNow();
    const begun = await person.does(
      `In Workflow Builder, make a workflow with the step Run agent: prompt "wait 20 minutes", channel ${channelName}, wait yes. Add a step that posts the answer. Start it`,
      eventOf('function_executed'),
    );
    yield judgeDone('A workflow can start a run', begun, {
      said: () => 'function_executed',
      missing: 'no function_executed arrived',
      means:
        "The step isn't offered: install the app for the organization and grant it to the workspace.",
    });
    if (typeof begun === 'string') return;
    const ended = await person.does(
      'Wait until the run message shows its end, after 20 minutes',
      () => seen().calls.find(({ method }) => method.startsWith('functions.complete')),
    );
    yield judgeDone('The app completes a step with its own token after 15 minutes', ended, {
      holds: ({ answer }) => answer['ok'] === true,
      said: ({ answer, atMs }) =>
        `${saidBy(answer)} after ${Math.round((atMs - begun.seen.atMs) / minuteMs)} minutes`,
      missing: 'it did not try to',
      means: 'Workflows with long runs hang. Open an issue.',
    });
    if (typeof ended === 'string') return;
    yield judgeSeen(
      'The next step gets the answer',
      await person.sees('Did the next step post: check-slack: done?'),
      { means: 'Workflows continue without the answer.' },
    );
    yield judgeSeen(
      'Buttons of the run message work after the step',
      await person.sees('Select Details below that run message. Does it open?'),
      { means: 'Run messages of workflows have dead buttons.' },
    );
  },
};
