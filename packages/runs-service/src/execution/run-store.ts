import type { Attachment } from 'runs-client/attachment';
import type { AgentProgress, Question } from 'runs-client/contract';
import type { PersonAnswer } from '../harnesses/harness.ts';
import type { AgentUsage } from '../harnesses/steps/agent-step.ts';
import type { Followup } from '../store/followups.ts';
import type { ExecutedRun, StoredRun } from '../store/runs.ts';

/** Store of the questions that agents ask people. */
export type QuestionStore = {
  /** Stores the question. Returns false if another process took over the run. */
  ask: (runId: string, question: Question, signal: AbortSignal) => Promise<boolean>;
  /**
   * Returns the answer to a question. Undefined while the question is open, null if it was closed without an answer.
   */
  answerOf: (
    runId: string,
    questionId: string,
    signal: AbortSignal,
  ) => Promise<PersonAnswer | null | undefined>;
  /** Closes the question, unless it has an answer. `note` is shown in the timeline. */
  close: (runId: string, questionId: string, note: string, signal: AbortSignal) => Promise<void>;
};

/**
 * Store that the steps of a run use. It's either the service's database, or the service over HTTP on a remote runner.
 */
export type RunStore = {
  /** Returns the files that were sent with the run. */
  attachmentsOf: (runId: string, signal: AbortSignal) => Promise<Attachment[]>;
  /** Returns the newest ended run before this one in its conversation. */
  latestOfConversation: (
    run: ExecutedRun,
    signal: AbortSignal,
  ) => Promise<Pick<StoredRun, 'id' | 'environment_id'> | undefined>;
  /**
   * Returns the follow-up after the one with the number `after`. Once it returns undefined, the run accepts no more
   * follow-ups.
   */
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
  /** Tells the clients that follow the run that it has changed. */
  announceProgress: (runId: string, usage: AgentUsage | undefined) => Promise<void>;
  questions: QuestionStore;
};
