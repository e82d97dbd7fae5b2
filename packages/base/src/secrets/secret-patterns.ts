/** Patterns of keys and passwords. Every pattern takes linear time on any text. */

/** Keys that have a known prefix. */
export const keyFormats: readonly RegExp[] = [
  // Links to session pages of the runs service, on any host, because anyone who has one can read the run.
  /\/session\/([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g,
  // Tokens of Slack, Discord and Teams.
  /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g,
  /\bxoxe\.xox[a-z]-[A-Za-z0-9-]{8,}/g,
  /\b(?:xapp|xwfp)-\d?-?[A-Za-z0-9-]{8,}/g,
  /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]+/g,
  /\bhttps:\/\/discord(?:app)?\.com\/api\/webhooks\/\d+\/[A-Za-z0-9_-]{20,}/g,
  /\bhttps:\/\/[a-z0-9-]{1,63}\.webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/_-]{20,}/g,
  // Matches a Discord bot token. It begins with an ID in base64, so its first character is an encoded digit.
  /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])/g,
  // Tokens of GitHub and GitLab.
  /\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\bgl(?:pat|dt|rt|ptt|soat|cbt|ft|agent|imt|oas)-[A-Za-z0-9_-]{15,}(?:\.[A-Za-z0-9_.-]{9,40})?/g,
  // Keys of AWS, Google and Azure.
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\b1\/\/0[A-Za-z0-9_-]{30,}/g,
  /\bGOCSPX-[A-Za-z0-9_-]{20,}/g,
  /\bAccountKey=([A-Za-z0-9+/=]{40,})/g,
  /[?&](?:sig(?:nature)?|key|code)=([A-Za-z0-9%+/=_-]{20,})/g,
  // Keys of Stripe, Twilio, SendGrid, Mailgun, Shopify and Square.
  /\b[prs]k_(?:org_)?(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{20,}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\bkey-[0-9a-f]{32}\b/g,
  /\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/g,
  /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{20,}/g,
  // Keys of language model services. For "sk-", the patterns require more than this prefix, because hyphenated words
  // can also contain it.
  /\bsk-(?:[A-Za-z0-9]{30,}|(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{20,})/g,
  /\bsk-(?=[A-Za-z0-9_-]{0,60}[A-Z])(?=[A-Za-z0-9_-]{0,60}\d)[A-Za-z0-9_-]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\b(?:gsk|r8)_[A-Za-z0-9]{30,}/g,
  /\b(?:xai|pplx)-[A-Za-z0-9]{40,}/g,
  // Tokens of package registries, hosting services and tools.
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{30,}/g,
  /\brubygems_[a-f0-9]{40,}/g,
  /\boy2[a-z0-9]{43}\b/g,
  /\bAKCp[A-Za-z0-9]{60,}/g,
  /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/g,
  /\bdo[opr]_v1_[a-f0-9]{40,}/g,
  /\bdapi[a-f0-9]{32}\b/g,
  /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/g,
  /\bFlyV1 fm\d_[A-Za-z0-9+/=,_-]{40,}/g,
  /\b(?:pul-|sbp_|sq[pua]_|bkua_)[a-f0-9]{40}\b/g,
  /\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}/g,
  /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}/g,
  /\bCCIPAT_[A-Za-z0-9]{10,40}_[a-f0-9]{40}/g,
  /\bsntry[su]_[A-Za-z0-9+/=_-]{40,}/g,
  /\bATATT3[A-Za-z0-9_=-]{30,}/g,
  /\blin_api_[A-Za-z0-9]{30,}/g,
  /\bntn_[A-Za-z0-9]{40,}/g,
  /\bsecret_[A-Za-z0-9]{43}\b/g,
  /\bfigd_[A-Za-z0-9_-]{30,}/g,
  /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/g,
  /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g,
  // Tokens of Asana, LaunchDarkly and PagerDuty.
  /\b[012]\/\d{12,17}(?:\/\d{12,17})?:[0-9a-f]{32}\b/g,
  /\b(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  /\bpd(?:us|eu)\+?_[A-Za-z0-9_-]{18,}/g,
  /\bNRAK-[A-Z0-9]{27}\b/g,
  /\bglsa_[A-Za-z0-9]{20,}_[a-f0-9]{8}/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}/g,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/g,
];

/**
 * Patterns that can start with any letters, each with a marker that all its matches contain. Searching for such a
 * pattern is slow, so texts without its marker are skipped.
 */
export const suffixMarkedPatterns: readonly [contained: string, pattern: RegExp][] = [
  // Keys of Azure DevOps. Older ones have 52 letters without any mark.
  ['AZDO', /\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/g],
  ['Q~', /\b[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}/g],
  // API keys of Mailchimp accounts.
  ['-us', /\b[0-9a-f]{32}-us\d{1,2}\b/g],
  ['.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}/g],
  // Passwords and keys in URLs.
  ['://', /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{3,1000})@/gi],
  ['://', /\b[a-z][a-z0-9+.-]{0,20}:\/\/([A-Za-z0-9_.~-]{20,1000})@/gi],
];

/** Patterns of places where secrets appear. The first group that matches is the secret. Only that group is masked. */
export const places: readonly RegExp[] = [
  /-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)? ?-{4,5}[\s\S]*?(-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY( BLOCK)? ?-{4,5}|$)/g,
  /\bPuTTY-User-Key-File-\d:[\s\S]*?(Private-MAC: [a-f0-9]+|$)/g,
  // A JWT: signed, or encrypted with up to three more parts. Starting a match inside another one would take
  // quadratic time.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){2,4}/g,
  /\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?((?:(?:basic|bearer|token|digest|apikey)\s+)?[^\s"']{6,})/gi,
  /\b(?:set-)?cookie:\s*([^\r\n"'=]{1,100}=[^\r\n"']{3,})/gi,
  /\bbearer\s+([A-Za-z0-9._~+/=-]{16,})/gi,
  named(
    'password|passwd|passphrase|pgpassword|secret|(?:api|access|private|secret|signing|encryption|account)[_-]?key',
  ),
  named('(?:auth|access|refresh|session|id|bot|api|deploy)[_-]?token|_auth'),
  /(?<![A-Za-z0-9])(?:pass|pwd)\s*=\s*["'`]?([^\s"'`,;/][^\s"'`,;]{5,})/gi,
  /(?:\b|_)token["']?\s*[:=]\s*["']?([A-Za-z0-9._~+/=-]{16,})/gi,
  /(?:^|\s)--(?:password|passwd|secret|token|api-key|access-key|auth-token)[ =]["']?([^\s"'-][^\s"']{5,})/gi,
  // Password of a MySQL client, directly after -p. Only other options can come before it, which doesn't happen in a
  // sentence.
  /\b(?:mysql|mariadb)[a-z-]{0,10}(?:\s+-[^\s]{1,100}(?:\s+[^\s-][^\s]{0,100})?){0,8}\s+-p["']?([^\s"'-][^\s"']{2,200})/g,
  /\bcurl\b[^\r\n]{0,200}?\s(?:-u|--user)[ =]?["']?[^\s"':]{1,100}:([^\s"']{3,200})/g,
];

/**
 * Returns the pattern of a secret after its name: `name=value`, `"name": "several words"`, `name => value`. The name
 * can be the end of a longer one.
 */
function named(names: string): RegExp {
  const value = '"([^"\\r\\n]{6,500})"|\'([^\'\\r\\n]{6,500})\'|["\'`]?([^\\s"\'`,;]{6,})';
  return new RegExp(`(?:${names})["']?\\s*(?:=>|[:=])\\s*(?:${value})`, 'gi');
}

/**
 * References to a secret that don't contain it: `$API_KEY`, `${{ secrets.KEY }}`, `process.env.KEY`, `<your key>`,
 * `readKey()`.
 */
export const reference =
  /^(?:(?:[Bb]earer|[Bb]asic|token)\s+)?(?:\$\{?[A-Z_][A-Z0-9_]*\}?|\$?\{\{.*|(?:process\.env|os\.environ|import\.meta\.env|config|settings|secrets)[.[][\w.[\]()]+|<[^<>]*>?|[*.•…]+|[xX]{6,}|[A-Za-z_.]{3,60}\([^()]{0,60}\))$/;
