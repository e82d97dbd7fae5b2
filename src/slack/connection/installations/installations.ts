import type { SlackWait } from './wait-for-slack.ts';

/** The app's bot in a workspace. */
export type Identity = {
  teamId: string;
  enterpriseId?: string;
  botId: string;
  botUserId: string;
  /** Scopes that were granted when the app was installed by OAuth. */
  scopes?: readonly string[];
};

/** Workspaces that the app got or lost. */
export type TeamChanges = { given: readonly string[]; taken: readonly string[] };

/** The workspaces that organizations give to the app. */
export type OrganizationTeams = {
  /** Returns the IDs of the organizations. */
  list(): Promise<readonly string[]>;
  /** Reads the workspaces of an organization from Slack. */
  read(organizationId: string): Promise<TeamChanges>;
  /** Records workspaces that the organization takes from the app. @returns those that the app had */
  taken(teamIds: readonly string[], organizationId: string): Promise<string[]>;
};

/** Where the app is installed, and with which tokens. */
export type Installations = {
  /** Waits for Slack if needed. @returns fields to log; undefined if the signal aborts first. @throws ExplainedError */
  start(waiting: SlackWait): Promise<object | undefined>;
  /** Returns undefined if the app isn't installed where the delivery comes from. */
  find(body: unknown): Promise<Identity | undefined>;
  /** Returns undefined if the app isn't installed in the workspace. */
  load(teamId: string): Promise<Identity | undefined>;
  /** Returns the last result of `find` or `load` for a workspace. */
  recall(teamId: string): Identity | undefined;
  tokensOf(teamId: string): Tokens;
  /** Called when Slack reports that the app was removed or its token revoked. Missing if an operator has to act. */
  lost?(teamId: string): Promise<void>;
  /** Returns true if several workspaces share the operator's runs service. */
  isShared(): boolean;
  /** Undefined with the token of one workspace. */
  organizations?: OrganizationTeams | undefined;
  /** Address where an admin allows exactly these scopes. */
  allowUrl?(teamId: string, scopes: readonly string[]): string;
};

/** The bot token of one workspace. */
export type Tokens = {
  read(): Promise<string>;
  /** Call this after Slack rejected a token. Returns true if there is another one by now. */
  replace?(rejected: string): Promise<boolean>;
};

export const fixedToken = (token: string): Tokens => ({ read: async () => token });
