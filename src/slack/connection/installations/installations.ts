import type { SlackWait } from './wait-for-slack.ts';

/** IDs of a workspace and of the app's bot there. */
export type Identity = {
  teamId: string;
  enterpriseId?: string;
  botId: string;
  botUserId: string;
  /** Scopes that were granted when the app was installed by OAuth. */
  scopes?: readonly string[];
};

/** IDs of workspaces that an organization gave to the app, or took from it. */
export type TeamChanges = { given: readonly string[]; taken: readonly string[] };

/** Reads and records the workspaces that organizations give to the app. */
export type OrganizationTeams = {
  /** Returns the IDs of the organizations. */
  list(): Promise<readonly string[]>;
  /** Reads the workspaces of an organization from Slack. */
  read(organizationId: string): Promise<TeamChanges>;
  /** Records workspaces that the organization takes from the app. @returns those that the app had */
  taken(teamIds: readonly string[], organizationId: string): Promise<string[]>;
};

/** Installations of the app, with their tokens. */
export type Installations = {
  /** Waits for Slack if needed. @returns fields to log; undefined if the signal aborts first. @throws ExplainedError */
  start(waiting: SlackWait): Promise<object | undefined>;
  /** Finds the installation for a delivery. Returns undefined if the app isn't installed there. */
  find(body: unknown): Promise<Identity | undefined>;
  /** Reads the installation in a workspace. Returns undefined if there is none. */
  load(teamId: string): Promise<Identity | undefined>;
  /** Returns the last result of `find` or `load` for a workspace. */
  recall(teamId: string): Identity | undefined;
  tokensOf(teamId: string): Tokens;
  /**
   * Handles Slack's report that the app was removed or its token revoked. Undefined with a fixed token, because an
   * operator must replace it.
   */
  lost?(teamId: string): Promise<void>;
  /** Returns true if several workspaces share the operator's runs service. */
  isShared(): boolean;
  /** Workspaces of organizations. Undefined if the app uses the token of one workspace. */
  organizations?: OrganizationTeams | undefined;
  /** Returns the address where an admin allows exactly these scopes. */
  allowUrl?(teamId: string, scopes: readonly string[]): string;
};

/** The bot token of one workspace. */
export type Tokens = {
  read(): Promise<string>;
  /** Gets another token after Slack rejected this one. Returns true if there is one. */
  replace?(rejected: string): Promise<boolean>;
};

export const fixedToken = (token: string): Tokens => ({ read: async () => token });
