/** The states of runs as people type them: the words that they read in Slack, or the names of the runs API. */
import { knownRunStates } from 'runs-client/contract';
import { stateLabel } from '../runs/showing/run-label.ts';

const written = (word: string) => word.toUpperCase().replace(/[ -]/g, '_');
const wordOf = (state: string) => written(stateLabel(state).word);

/** A request that has no run. */
const notStarted = 'NOT_STARTED';

/** In lower case, for people to choose from. */
export const typedStates: readonly string[] = [
  ...new Set([...knownRunStates.map(wordOf), notStarted]),
].map((word) => word.toLowerCase());

/** States that a word stands for, and the word itself, because services have their own states. */
export const statesNamed = (typed: string): string[] => [
  ...new Set([
    written(typed),
    ...knownRunStates.filter((state) => wordOf(state) === written(typed)),
  ]),
];

export const isKnownWord = (typed: string): boolean =>
  statesNamed(typed).some(
    (each) => each === notStarted || (knownRunStates as readonly string[]).includes(each),
  );
