import type { Identity } from './installation.ts';
import type { TeamChanges } from './organization-teams.ts';
import type { SlackWait } from './read-identity.ts';

/** The workspaces that organizations give to the app. */
export type OrganizationTeams = {
  /** Ids of the organizations. */
  list(): Promise<readonly string[]>;
  /** Reads the workspaces of an organization from Slack. */
  read(organizationId: string): Promise<TeamChanges>;
  /** The organization takes these from the app. @returns those that it had */
  taken(teamIds: readonly string[], organizationId: string): Promise<string[]>;
};

/** Where the app is installed, and with which tokens. */
export type Installations = {
  /** Waits for Slack if that's needed. @returns what to log; undefined if the signal aborts first. @throws ExplainedError */
  start(waiting: SlackWait): Promise<object | undefined>;
  /** Who the app is for a delivery; undefined if it isn't installed there. */
  find(body: unknown): Promise<Identity | undefined>;
  /** The same by workspace. */
  load(teamId: string): Promise<Identity | undefined>;
  /** What is known of a workspace since `find` or `load`. */
  recall(teamId: string): Identity | undefined;
  tokensOf(teamId: string): Tokens;
  /** Slack says that the app was removed or its token revoked. Without this, an operator has to act. */
  lost?(teamId: string): Promise<void>;
  /** Returns true if several workspaces share the operator's runs service. */
  isShared(): boolean;
  /** Undefined with the token of one workspace. */
  organizations?: OrganizationTeams | undefined;
  /** Where an admin allows exactly these scopes. */
  allowUrl?(teamId: string, scopes: readonly string[]): string;
};

/** The bot token of one workspace. */
export type Tokens = {
  read(): Promise<string>;
  /** Slack rejected this one. @returns whether there is another one by now */
  replace?(rejected: string): Promise<boolean>;
};

export const fixedToken = (token: string): Tokens => ({ read: async () => token });
