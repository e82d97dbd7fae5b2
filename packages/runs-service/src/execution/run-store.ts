import type { Attachment } from 'runs-client/attachment';
import type { AgentProgress, Question } from 'runs-client/contract';
import type { PersonAnswer } from '../harnesses/harness.ts';
import type { AgentUsage } from '../harnesses/steps/agent-step.ts';
import type { Followup } from '../store/followups.ts';
import type { ExecutedRun, StoredRun } from '../store/runs.ts';

/** Questions of agents to people, with retries while the database is down. */
export type QuestionStore = {
  /** False if another process took the run. */
  ask: (runId: string, question: Question, signal: AbortSignal) => Promise<boolean>;
  /** Undefined while the question is open; null if it's closed without an answer. */
  answerOf: (
    runId: string,
    questionId: string,
    signal: AbortSignal,
  ) => Promise<PersonAnswer | null | undefined>;
  /** Has no effect if there is an answer. `note` is for the timeline. */
  close: (runId: string, questionId: string, note: string, signal: AbortSignal) => Promise<void>;
};

/** Reads and writes of a run in progress: in the database of the service, or over HTTP. */
export type RunStore = {
  /** Files that came with the run. */
  attachmentsOf: (runId: string, signal: AbortSignal) => Promise<Attachment[]>;
  /** The newest ended run before this one in its conversation. */
  latestOfConversation: (
    run: ExecutedRun,
    signal: AbortSignal,
  ) => Promise<Pick<StoredRun, 'id' | 'environment_id'> | undefined>;
  /** The follow-up after the one with this number. Once it returns undefined, the run accepts no more. */
  takeFollowup: (
    runId: string,
    after: number,
    signal: AbortSignal,
  ) => Promise<Followup | undefined>;
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => Promise<void>;
  /** Saves the total usage that the agent has reported for the run. */
  saveUsage: (runId: string, usage: AgentUsage) => Promise<void>;
  saveProgress: (runId: string, progress: AgentProgress) => Promise<void>;
  /** Lists the run as changed. */
  announceProgress: (runId: string, usage: AgentUsage | undefined) => Promise<void>;
  questions: QuestionStore;
};
