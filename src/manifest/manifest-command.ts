import { ExplainedError } from 'base/explained-error';
import { readArguments } from 'base/process/read-arguments';
import { stringify } from 'yaml';
import { finishManifest } from './finish-manifest.ts';

export const usage = `Usage: slash-agent manifest [options]
  --url https://agent.example.org     The app's public address, for HTTP mode. Default: Socket Mode.
  --unfurl-domain runs.example.org    Show links to this domain as cards. Repeat for up to 5 domains.
  --sign-in-url https://runs.example.org  Let people sign in to session pages of this address with Slack.
  --install-url https://agent.example.org  Let people install the app in many workspaces, at this address of the app.
  --own-org                           With --install-url: only workspaces of your organization install it, so keep the Workflow Builder step.
  --plain                             Leave out the Workflow Builder step and agent sessions, for one workspace with a plan of Slack that lacks them.
  --email                             Let the app read email addresses, for RUNS_ON_BEHALF_OF.`;

const mostDomains = 5;
const domain = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/**
 * Returns the completed manifest as YAML.
 * @param source `manifest.yml`, parsed
 * @throws ExplainedError when the arguments are wrong
 */
export function manifestText(source: unknown, args: readonly string[]): string {
  const { positionals, values } = readArguments(args, usage, {
    url: { type: 'string' },
    'sign-in-url': { type: 'string' },
    'install-url': { type: 'string' },
    'own-org': { type: 'boolean' },
    plain: { type: 'boolean' },
    email: { type: 'boolean' },
    'unfurl-domain': { type: 'string', multiple: true },
  });
  const { email: readsEmail, 'unfurl-domain': domains = [], ...others } = values;
  const { 'own-org': isOwnOrg, plain: isPlain, ...addresses } = others;
  const unfurlDomains = [...new Set(domains.map((each) => each.toLowerCase()))];
  for (const [name, address] of Object.entries(addresses))
    if (!isPublicAddress(address))
      throw new ExplainedError(`--${name} must be an https URL without a query.\n${usage}`);
  const wrong = unfurlDomains.find((each) => !domain.test(each));
  if (wrong !== undefined)
    throw new ExplainedError(`--unfurl-domain must be a domain, not ${wrong}.\n${usage}`);
  if (unfurlDomains.length > mostDomains)
    throw new ExplainedError(`Slack accepts up to ${mostDomains} unfurl domains.\n${usage}`);
  if (positionals.length > 0) throw new ExplainedError(usage);
  const isInMany = addresses['install-url'] !== undefined;
  if (isOwnOrg && !isInMany)
    throw new ExplainedError(`--own-org is for --install-url only.\n${usage}`);
  if (isPlain && isInMany)
    throw new ExplainedError(`--plain is for one workspace, without --install-url.\n${usage}`);
  const { url, 'sign-in-url': signInUrl, 'install-url': installUrl } = addresses;
  return stringify(
    finishManifest(source, {
      url,
      unfurlDomains,
      signInUrl,
      installUrl,
      isOwnOrg,
      isPlain,
      readsEmail,
    }),
  );
}

function isPublicAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, search, hash } = new URL(url);
  return protocol === 'https:' && search === '' && hash === '';
}
