import type { LocalWorkspace } from '../../src/index.ts';

export type Answer = { ok: boolean; error?: string } & Record<string, unknown>;
type Called = Pick<LocalWorkspace, 'apiUrl' | 'botToken'>;

/** Calls a method as Slack's SDK does, with a form and nested values as JSON. */
export async function callApi(
  workspace: Called,
  method: string,
  args: Record<string, unknown> = {},
  token: string | undefined = workspace.botToken,
): Promise<Answer> {
  const fields = Object.entries(args).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const response = await fetch(workspace.apiUrl + method, {
    method: 'POST',
    body: new URLSearchParams(fields),
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });
  return (await response.json()) as Answer;
}

/** Calls a method like `callApi`, but fails the test on an error. */
export async function callOk(
  workspace: Called,
  method: string,
  args: Record<string, unknown> = {},
  token?: string,
): Promise<Answer> {
  const answer = await callApi(workspace, method, args, token);
  if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer;
}
