import { activeStates } from '../../store/service/runs/service-runs.ts';

/** Of a run that hasn't ended. */
export const openStates = ['QUEUED', ...activeStates];

export const allStates = [...openStates, 'SUCCEEDED', 'FAILED', 'CANCELLED'];
