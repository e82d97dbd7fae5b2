/** Renders the pages that a browser shows during the installation. */
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

export const installPath = '/slack/install';

export type InstallPage = { status: number; html: string };

type InstalledIn = { appId: string | undefined; teamId: string | undefined; name: string };

export function installedPage({ appId, teamId, name }: InstalledIn): InstallPage {
  const query = new URLSearchParams({
    ...(appId && { app: appId }),
    ...(teamId && { team: teamId }),
  });
  const open = appId && `https://slack.com/app_redirect?${query}`;
  return page(200, `Installed in ${name}`, [
    'The app is ready. Next steps:',
    `<ol>
      <li>Type <code>/invite @agent</code> in each private channel where people will use it.</li>
      <li>Type <code>/agent help</code> in a channel, or open the app's Home tab.</li>
    </ol>`,
    ...(open ? [`<a href="${escapeHtml(open)}">Open the app in Slack</a>`] : []),
  ]);
}

/** Reason why the app wasn't installed. */
export type InstallProblem = 'canceled' | 'too_late' | 'credentials' | 'unreachable' | 'unexpected';

const again = `<a href="${installPath}">Start again</a>`;

const texts: Record<InstallProblem, { status: number; lines: string[] }> = {
  canceled: { status: 200, lines: ['You canceled the installation. Nothing was changed.', again] },
  too_late: {
    status: 400,
    lines: [
      'This link has expired or was already used. It works once, in the same browser, for ten minutes.',
      again,
    ],
  },
  credentials: {
    status: 502,
    lines: [
      "Slack rejected the app's credentials. Ask the app's operator to check SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.",
    ],
  },
  unreachable: {
    status: 503,
    lines: ["Slack can't be reached, so nothing was changed. Try again in a minute.", again],
  },
  unexpected: {
    status: 500,
    lines: ["The installation failed. Ask the app's operator to check its log.", again],
  },
};

export function notInstalledPage(problem: InstallProblem, reference?: string): InstallPage {
  const { status, lines } = texts[problem];
  const note = reference === undefined ? [] : [`Reference: <code>${escapeHtml(reference)}</code>`];
  return page(status, 'Not installed', [...lines, ...note]);
}

const style = `body { font: 16px/1.5 system-ui; max-width: 34rem; margin: 3rem auto; padding: 0 1rem;
  color-scheme: light dark } code { background: #8882; padding: 0 .2em; border-radius: .2em }`;

/** Renders a page. `lines` are HTML. */
const page = (status: number, title: string, lines: readonly string[]): InstallPage => ({
  status,
  html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body><h1>${escapeHtml(title)}</h1>${lines.map((line) => (line.startsWith('<ol') ? line : `<p>${line}</p>`)).join('\n')}</body></html>`,
});
