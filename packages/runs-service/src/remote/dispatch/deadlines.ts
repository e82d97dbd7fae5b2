import {
  defaultTimeLimitSeconds,
  questionSecondsOf,
  type ServiceEnvironment,
} from '../../environments/environments.ts';

/** For the checkout, and for saving what the run left. */
const spareSeconds = 3_600;
/** The run's own clock stands still while a person is asked. */
const questions = 10;

/** When an engine ends a process that is still there: a net below the run's own time limit. */
export function deadlineSecondsOf(environment: ServiceEnvironment): number {
  const { time_limit_seconds: limit = defaultTimeLimitSeconds, harness } = environment;
  const asked = questionSecondsOf(environment);
  return Math.ceil(limit + spareSeconds + (harness === 'acp' ? questions * asked : 0));
}

const defaultStartSeconds = 3_600;

/** How long a run may wait for its process. Kubernetes says itself why one can't start. */
export const startMsOf = ({ place, dispatch }: ServiceEnvironment): number =>
  place === 'command'
    ? (dispatch?.start_seconds ?? defaultStartSeconds) * 1000
    : Number.POSITIVE_INFINITY;
