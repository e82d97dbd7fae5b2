import type { PageAction, PageAnswer } from '../../page-server/page-protocol.ts';

/** Settings that the server puts into the page's HTML. The token proves that a request comes from this page. */
export type PageSettings = { token: string; firstPerson: string };

export function readSettings(): PageSettings {
  const { token = '', firstPerson = '' } = document.documentElement.dataset;
  return { token, firstPerson };
}

export async function perform(
  { token }: PageSettings,
  person: string,
  action: PageAction,
): Promise<PageAnswer> {
  try {
    const response = await fetch('/page/actions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-page-token': token },
      body: JSON.stringify({ person, action }),
    });
    return (await response.json()) as PageAnswer;
  } catch {
    return { ok: false, error: "Can't reach the workspace. Check that it's still running." };
  }
}
