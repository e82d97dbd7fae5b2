import type { PolicyCase } from '../../../src/policy/ruling.ts';

const facts = {
  userId: undefined,
  channelId: undefined,
  conversation: undefined,
  inGroups: new Map(),
};

/** Policies of a workspace without rules. */
export const noPolicies = {
  caseOf: async (): Promise<PolicyCase> => ({ rules: [], ask: undefined, facts }),
};
