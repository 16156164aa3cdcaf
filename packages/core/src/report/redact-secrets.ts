import type { Detector, Found } from './redact-span.ts';

/**
 * Tokens that tell by themselves what they are, by the prefixes that their issuers document: Hugging Face, GitHub, GitLab,
 * AWS key ids, Slack, Google, NVIDIA NGC, OpenAI and Anthropic, Stripe, npm, PyPI, Docker Hub, DigitalOcean, SendGrid,
 * Databricks, Replicate, Groq, Vault, Weights & Biases, JSON web tokens; hashes of crypt(3).
 */
const tokens: RegExp = new RegExp(
  [
    'hf_[a-z0-9]{16,200}',
    'api_org_[a-z0-9]{20,200}',
    'gh[pousr]_[a-z0-9]{16,255}',
    'github_pat_[a-z0-9_]{20,255}',
    String.raw`(?<![a-z0-9])gl(?:pat|rt|dt|ptt|ft|soat|imt|cbt|agent|oas)-[\w.-]{16,300}`,
    '(?<![a-z0-9])(?:akia|asia|aroa|aida|agpa|anpa|abia|acca)[a-z0-9]{16}(?![a-z0-9])',
    String.raw`xox[a-z]-[\w-]{10,300}`,
    String.raw`xapp-\d-[\w-]{10,300}`,
    String.raw`(?<=hooks\.slack\.com\/(?:services|workflows)\/)[\w/]{8,200}`,
    String.raw`aiza[\w-]{35}`,
    String.raw`ya29\.[\w-]{16,2000}`,
    String.raw`gocspx-[\w-]{20,100}`,
    String.raw`nvapi-[\w-]{16,200}`,
    '(?<![a-z0-9])[sr]k_(?:live|test)_[a-z0-9]{16,200}',
    'npm_[a-z0-9]{30,100}',
    String.raw`pypi-[\w-]{30,400}`,
    String.raw`dckr_(?:pat|oat)_[\w-]{16,200}`,
    'do[opr]_v1_[a-f0-9]{40,100}',
    String.raw`(?<![a-z0-9])sg\.[\w-]{16,100}\.[\w-]{16,100}`,
    '(?<![a-z0-9])(?:dapi[a-f0-9]{32}|r8_[a-z0-9]{30,60}|gsk_[a-z0-9]{30,80})',
    String.raw`(?<![a-z0-9])hvs\.[\w-]{20,300}`,
    'wandb_v1_[a-z0-9_]{20,200}',
    'age-secret-key-1[a-z0-9]{40,80}',
    String.raw`\$(?:2[aby]|5|6|y|apr1)\$[./a-z0-9$=,]{12,200}`,
    String.raw`eyj[\w-]{10,8000}(?:\.[\w-]{0,8000}){0,4}`,
  ].join('|'),
  'gi',
);
/** OpenAI, Anthropic and others; words of the language look alike, but have no digit. */
const skTokens = /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,300}/gi;

/** A name and what stands between it and its value; `sep` may be percent-encoded or of a command-line flag. */
const assignments =
  /(?<![\w.-])(?<dash>--?)?(?<name>[A-Za-z_$][\w.-]{1,79})(?<close>\\{0,3}["'])?(?<sep> {0,3}(?:=>|=|:(?!\/\/|:)|%3[Dd]|%3[Aa]) {0,40})(?<open>\\{0,3}["'`])?/g;
const flags = /(?<![\w-])--(?<name>[A-Za-z][\w-]{2,60})["']?,? {1,4}(?<open>["'])?(?!-)/g;
const inElement = /<(?<name>[A-Za-z_][\w.-]{1,60})>(?<value>[^<>]{1,4000})<\//g;
const namedValue =
  /["']?name["']?\s{0,3}[:=]\s{0,3}\\?["']?(?<name>[A-Za-z_][\w.-]{1,79})\\?["']?\s{0,3},\s{0,3}\\?["']?value\\?["']?\s{0,3}[:=]\s{0,3}(?<open>\\?["'])?/gi;
const bearer = /(?<![A-Za-z0-9])bearer(?: {1,4}|%20|\+)(?<value>[\w.~+/=-]{8,4000})/gi;
const credentials =
  /(?<![\w-])(?:-u|--user|--username|--creds|--src-creds|--dest-creds)[= ]["']?(?<user>[^\s:"'=-][^\s:"']{0,100})(?::(?<pass>[^\s"']{1,300}))?/g;
const loginPassword = /(?<![\w-])-p[= ]?["']?(?<pass>[^\s"'-][^\s"']{0,300})/g;
const netrc =
  /^\s{0,8}(?:machine \S{1,200}\s{1,8})?(?:login \S{1,100}\s{1,8})?password\s{1,8}(?<value>\S{1,300})\s{0,8}$/;
const key40 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])/g;
const hex40 = /(?<![0-9A-Za-z])[0-9a-fA-F]{40}(?![0-9A-Za-z])/g;
const base64 = /(?<![\w+/=.-])[A-Za-z0-9+/]{40,8000}={0,2}(?![\w+/=-])/g;
const pemInLine = /-----BEGIN [A-Z0-9 ]{0,60}-----/gi;
const pemStop = /-----END|["'<]/gi;
const queryNames: ReadonlySet<string> = new Set(
  `token sig signature key apikey api_key secret password pass pwd auth credential code session sas awsaccesskeyid
  x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential`.split(/\s+/),
);
const vocabulary =
  /(?:^|_)(?:eos|bos|pad|unk|sep|cls|mask|special|added|image|audio|video|stop|start|end|next|per|num|max|min|first|last|prompt|new|decoder|forced|prefix|suffix)_token$/;
const keyWords: ReadonlySet<string> = new Set(
  `api access secret private account encryption signing license ssh shared master auth storage client wandb subscription
  deploy service application`.split(/\s+/),
);

/** What a name says of its value: `all` that follows is secret, a `word` of it, or `none` is. */
function secrecyOf(name: string): 'none' | 'word' | 'password' | 'header' {
  const words = name
    .replace(/^[-$]+/, '')
    .replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .replaceAll(/[.-]/g, '_');
  const parts = words.split('_').filter((each) => each !== '');
  const last = parts.at(-1) ?? '';
  const joined = parts.join('');
  const shouted = !/[a-z]/.test(name);
  if (/(?:^|_)(?:proxy_)?authorization$|(?:^|_)cookie$/.test(words)) return 'header';
  if (!shouted && /^(?:name|ref|names|refs|type|namespace|version|stdin|file|path|policy|length|expiry|id)$/.test(last))
    return 'none';
  if (/pass(?:word|wd|phrase|code)/.test(joined)) return 'password';
  if (last === 'pwd' || last === 'pass') return parts.length > 1 ? 'password' : 'none';
  if (
    joined.includes('secret') ||
    joined.includes('credential') ||
    joined.includes('dockerconfigjson') ||
    joined.includes('dockercfg')
  ) {
    return joined === 'imagepullsecrets' || joined === 'secrets' ? 'none' : 'word';
  }
  if (last.endsWith('token')) return vocabulary.test(words) ? 'none' : 'word';
  if (shouted && parts.includes('token') && parts.length > 1) return 'word';
  if (/(?:api|access|private|account|secret)key$/.test(last)) return 'word';
  if (last === 'key' && parts.length > 1) return shouted || keyWords.has(parts.at(-2)!) ? 'word' : 'none';
  if (shouted && last === 'keys' && keyWords.has(parts.at(-2) ?? '')) return 'word';
  if (/(?:key|certificate|certificateauthority|ca)_?data$/.test(joined)) return 'word';
  return 'none';
}

/** True for a name whose value must not be seen. */
export function isSecretName(name: string): boolean {
  return secrecyOf(name) !== 'none';
}

/** Values that stand for none, or only name where the value is. */
const placeholder =
  /^(?:none|null|nil|true|false|undefined|unset|empty|required|str|int|bool|bytes|optional\b.{0,40}|\*{3,}|x{3,}|\.{3}|<.{0,200}|\[?redacted\]?|\$[A-Za-z_{(].{0,100}|%[A-Za-z_]+%)$/i;

function accept(value: string, secrecy: 'word' | 'password' | 'header'): boolean {
  if (value === '' || placeholder.test(value)) return false;
  // token=128, secret: 0: counts, not secrets
  return secrecy !== 'word' || !/^[\d.,:/%-]{1,12}$/.test(value);
}

/** End of the value that starts at `from`. */
function endOfValue(line: string, from: number, open: string | undefined, whole: boolean): number {
  if (open !== undefined) {
    const quote = open.at(-1)!;
    const escaped = open.length > 1;
    for (let at = line.indexOf(quote, from); at >= 0; at = line.indexOf(quote, at + 1)) {
      if (escaped) return line[at - 1] === '\\' ? backTo(line, from, at) : at;
      if (line[at - 1] !== '\\' || at - 1 < from) return at;
    }
    return line.length;
  }
  if (whole) return line.trimEnd().length;
  stop.lastIndex = from;
  let end = stop.exec(line)?.index ?? line.length;
  while (end > from && ',;)}]>\\'.includes(line[end - 1]!)) end--;
  return end;
}
const stop = /[\s"'`]/g;

function backTo(line: string, from: number, at: number): number {
  let end = at;
  while (end > from && line[end - 1] === '\\') end--;
  return end;
}

/** Every token has a long run of such characters. */
const longRun = /[\w+-]{14}|\$/;
/** Every name of a secret has one of these in it. */
const secretWords = /pass|pwd|secre|token|key|auth|cookie|cred|sig|code|session|docker|data|%3d/i;

const tokensIn: Detector = (line, found) => {
  if (!longRun.test(line)) return;
  for (const match of line.matchAll(tokens)) found(match.index, match.index + match[0].length, 'secret', true);
  for (const match of line.matchAll(skTokens)) {
    if (/\d/.test(match[0])) found(match.index, match.index + match[0].length, 'secret', true);
  }
  for (const match of line.matchAll(base64)) {
    if (looksRandom(match[0])) found(match.index, match.index + match[0].length, 'secret', true);
  }
};

/** Upper and lower case and digits in one long run: base64 of something, not a path, a name or a checksum. */
function looksRandom(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return false;
  return text.split('/').some((part) => part.length >= 20 && /[a-z]/.test(part) && /[A-Z]/.test(part));
}

const assignedIn: Detector = (line, found) => {
  if (!secretWords.test(line)) return;
  // What stands inside a value that was looked at is not looked at again: that keeps long lines linear.
  let covered = 0;
  const take = (name: string, start: number, open: string | undefined, whole: boolean): void => {
    const secrecy = secrecyOf(name);
    if (secrecy === 'none') return;
    const header = secrecy === 'header';
    let end = endOfValue(line, start, open, whole && secrecy === 'password');
    if (header && open === undefined) {
      quote.lastIndex = start;
      end = quote.exec(line)?.index ?? line.trimEnd().length;
    }
    const value = line.slice(start, end);
    covered = end;
    if (accept(value, secrecy)) found(start, end, 'secret', true);
  };
  if (line.includes('=') || line.includes(':') || line.includes('%3')) {
    for (const match of line.matchAll(assignments)) {
      if (match.index < covered) continue;
      const { name = '', sep = '', open, close } = match.groups ?? {};
      const start = match.index + match[0].length;
      const before = line.slice(0, match.index);
      const first =
        /^\s{0,40}(?:export |declare -x |set |ENV |- )?["']?$/.test(before.slice(-60)) && before.length < 60;
      if (name === 'auth' || name === 'identitytoken') {
        const end = endOfValue(line, start, open, false);
        covered = end;
        if (/^[A-Za-z0-9+/=_.-]{8,8000}$/.test(line.slice(start, end)) && (open !== undefined || end - start >= 16))
          found(start, end, 'secret', true);
        continue;
      }
      const query = /[?&;]$/.test(before) || /%26$|%3F$|u0026$/i.test(before);
      if (query && queryNames.has(name.toLowerCase()) && sep.trim() !== ':') {
        inQuery.lastIndex = start;
        const end = inQuery.exec(line)?.index ?? line.length;
        covered = end;
        if (end > start) found(start, end, 'secret', end - start >= 8);
        continue;
      }
      // NAME='x' inside quotes that were opened before the name: "NAME=a b"
      const quoted = before.at(-1);
      if (open === undefined && close === undefined && (quoted === '"' || quoted === "'") && sep.includes('=')) {
        const escaped = before.at(-2) === '\\';
        take(name, start, escaped ? `\\${quoted}` : quoted, false);
        continue;
      }
      take(name, start, open, first);
    }
  }
  if (line.includes('--')) {
    covered = 0;
    for (const match of line.matchAll(flags)) {
      if (match.index < covered) continue;
      take(match.groups?.['name'] ?? '', match.index + match[0].length, match.groups?.['open'], false);
    }
  }
  if (line.includes('</')) {
    for (const match of line.matchAll(inElement)) {
      const secrecy = secrecyOf(match.groups?.['name'] ?? '');
      const value = match.groups?.['value'] ?? '';
      const start = match.index + match[0].indexOf('>') + 1;
      if (secrecy !== 'none' && accept(value, secrecy)) found(start, start + value.length, 'secret', true);
    }
  }
  if (/value/i.test(line) && /name/i.test(line)) {
    covered = 0;
    for (const match of line.matchAll(namedValue)) {
      if (match.index < covered) continue;
      take(match.groups?.['name'] ?? '', match.index + match[0].length, match.groups?.['open'], false);
    }
  }
};
const quote = /["'`]/g;
const inQuery = /[&\s"'<>#\\`]|%26/g;

const headersIn: Detector = (line, found) => {
  for (const match of line.matchAll(bearer)) {
    const value = match.groups?.['value'] ?? '';
    const start = match.index + match[0].length - value.length;
    if (/\d/.test(value) || value.length >= 20) found(start, start + value.length, 'secret', true);
  }
  // The secret half of an AWS key stands behind its id.
  const keyId = /(?<![a-z0-9])a[ks]ia[a-z0-9]{16}(?![a-z0-9])/i.exec(line);
  if (keyId !== null) {
    for (const match of line.matchAll(key40))
      if (match.index > keyId.index) found(match.index, match.index + 40, 'secret', true);
  }
  if (/wandb|api[ _-]?key|netrc|password/i.test(line)) {
    for (const match of line.matchAll(hex40)) found(match.index, match.index + 40, 'secret', true);
    const entry = netrc.exec(line)?.groups?.['value'];
    if (entry !== undefined) {
      const start = line.lastIndexOf(entry);
      found(start, start + entry.length, 'secret', true);
    }
  }
};

const loginsIn: Detector = (line, found) => {
  const login = /\b(?:login|sshpass|(?:mysql|mariadb|mongo)[a-z]{0,8})\b/.test(line);
  if (!login && !/\bcurl\b|creds\b/.test(line)) return;
  for (const match of line.matchAll(credentials)) {
    const { user = '', pass } = match.groups ?? {};
    const start = match.index + match[0].length - user.length - (pass === undefined ? 0 : pass.length + 1);
    if (pass !== undefined) found(start + user.length + 1, start + user.length + 1 + pass.length, 'secret', true);
    if (pass !== undefined || login) found(start, start + user.length, 'user', true);
  }
  if (!login) return;
  for (const match of line.matchAll(loginPassword)) {
    const pass = match.groups?.['pass'] ?? '';
    found(match.index + match[0].length - pass.length, match.index + match[0].length, 'secret', true);
  }
};

/** PEM blocks that stand in one line, with `\n` written out. Blocks of several lines need the lines around: `SecretLines`. */
const pemIn: Detector = (line, found) => {
  if (!line.includes('-----')) return;
  let covered = 0;
  for (const match of line.matchAll(pemInLine)) {
    const start = match.index + match[0].length;
    if (start < covered) continue;
    pemStop.lastIndex = start;
    covered = pemStop.exec(line)?.index ?? line.length;
    if (covered > start) found(start, covered, 'secret', true);
  }
};

/** What tells by itself or by the name before it that it is a secret. */
export const secretDetectors: readonly Detector[] = [pemIn, tokensIn, assignedIn, headersIn, loginsIn];

/** Secrets that only the lines before tell: bodies of PEM blocks, values below their names in YAML and JSON. */
export class SecretLines {
  private pem = 0;
  private named = 0;
  private pull = 0;

  /** @param line the next line; what it hides is told to `found` */
  next(line: string, found: Found): void {
    this.pemLine(line, found);
    const value = /^\s{0,80}["']?value["']?\s{0,3}:\s{0,3}(?<open>["'])?/.exec(line);
    if (this.named > 0 && value !== null) {
      const start = value[0].length;
      const open = value.groups?.['open'];
      let end = endOfValue(line, start, open, true);
      if (open === undefined && line[end - 1] === ',') end--;
      if (end > start && !placeholder.test(line.slice(start, end))) found(start, end, 'secret', true);
    }
    this.named--;
    const name = /^\s{0,80}(?:- )?["']?name["']?\s{0,3}:\s{0,3}["']?(?<name>[A-Za-z_][\w.-]{1,79})["']?,?\s{0,8}$/.exec(
      line,
    )?.groups?.['name'];
    if (name !== undefined) {
      if (isSecretName(name)) this.named = 2;
      if (this.pull > 0)
        found(
          line.indexOf(name, line.indexOf('name') + 4),
          line.indexOf(name, line.indexOf('name') + 4) + name.length,
          'secret',
          true,
        );
    }
    this.pull--;
    if (!/image ?pull ?secrets/i.test(line)) return;
    this.pull = 3;
    const listed =
      /image ?pull ?secrets["']?\s{0,3}(?:\(|:\s{0,3}\[\{\s{0,3}["']name["']\s{0,3}:\s{0,3}["'])(?<name>[\w.-]{2,100})/i.exec(
        line,
      );
    const each = listed?.groups?.['name'];
    if (listed !== null && each !== undefined)
      found(listed.index + listed[0].length - each.length, listed.index + listed[0].length, 'secret', true);
  }

  private pemLine(line: string, found: Found): void {
    const begin = line.lastIndexOf('-----BEGIN ');
    const end = line.lastIndexOf('-----END ');
    if (end >= 0 && end > begin) {
      this.pem = 0;
      return;
    }
    if (begin >= 0) {
      this.pem = 400;
      return;
    }
    if (this.pem <= 0) return;
    this.pem--;
    // Behind a log prefix the last word is the body.
    const body = /(?<body>[A-Za-z0-9+/=]{4,200})["'\\,]{0,3}\s{0,8}$/.exec(line);
    const text = body?.groups?.['body'];
    if (body !== null && text !== undefined) found(body.index, body.index + text.length, 'secret', true);
  }
}
