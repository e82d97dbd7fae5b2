import type { Audit } from '../../../store/audit/audit.ts';
import type { Settings } from '../../../store/people/settings.ts';
import type { Answers } from '../../../store/requests/answers.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import type { ReadNames } from '../../people/people.ts';
import type { Rights } from '../../people/rights.ts';
import type { MarkSource } from '../../posting/source-message.ts';
import type { RunAccess } from '../reading/run-access.ts';
import { answerFromReply } from './answer-question.ts';
import { cancelByMessage } from './cancel-run.ts';
import { continueRun } from './continue-run.ts';
import type { StartRun } from './run-start.ts';
import { type SendDeps, sendMessage } from './send-message.ts';

type Deps = {
  requests: Pick<Requests, 'askCancel' | 'find'>;
  answers: Pick<Answers, 'find' | 'give'>;
  audit: Pick<Audit, 'note'>;
  settings: Pick<Settings, 'readLayers' | 'list'>;
  access: Pick<RunAccess, 'command'>;
  rights: Pick<Rights, 'authorizeAnswer'>;
  connect: SendDeps['connect'];
  startRun: StartRun;
  markSource: MarkSource;
  readNames: ReadNames;
  wake(): void;
};

type Rest<Act> = Act extends (deps: infer _, ...rest: infer Args) => unknown ? Args : never;

export type MessageActs = ReturnType<typeof createMessageActs>;

/**
 * Creates the functions that handle a message in a run's thread. They answer, cancel or continue the run, or send the
 * message to the agent.
 */
export const createMessageActs = ({
  requests,
  answers,
  audit,
  settings,
  access,
  rights,
  connect,
  startRun,
  markSource,
  readNames,
  wake,
}: Deps) => ({
  answer: (...message: Rest<typeof answerFromReply>) =>
    answerFromReply({ answers, rights, wake }, ...message),
  cancel: (...message: Rest<typeof cancelByMessage>) =>
    cancelByMessage({ requests, access, wake }, ...message),
  continueRun: (...message: Rest<typeof continueRun>) =>
    continueRun({ startRun, markSource, settings }, ...message),
  send: (...message: Rest<typeof sendMessage>) =>
    sendMessage({ connect, audit, readNames }, ...message),
});
