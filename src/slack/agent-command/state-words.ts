/** Reads run states as people type them, either as shown in Slack or as named by the runs API. */
import { knownRunStates } from 'runs-client/contract';
import { stateLabel } from '../runs/showing/run-label.ts';

const written = (word: string) => word.toUpperCase().replace(/[ -]/g, '_');
const wordOf = (state: string) => written(stateLabel(state).word);

/** State to search for requests without a run. */
const notStarted = 'NOT_STARTED';

/** States to suggest, in lower case. */
export const typedStates: readonly string[] = [
  ...new Set([...knownRunStates.map(wordOf), notStarted]),
].map((word) => word.toLowerCase());

/** Returns the API states that this word means. Includes the word itself, because services may have other states. */
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
