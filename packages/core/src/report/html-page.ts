import { sha256 } from '../knowledge/sha256.ts';

/** What a page consists of. */
export interface PageParts {
  /** Plain text. */
  readonly title: string;
  /** Language of the page: `en`. */
  readonly lang: string;
  /** CSS text; no style stands in an attribute. */
  readonly style: string;
  /** HTML whose texts were escaped with `escapeHtml`. */
  readonly body: string;
  /** What the script draws: any value that JSON can carry. Absent: no data. */
  readonly data?: unknown;
  /** A classic script. Absent: the page runs none. */
  readonly script?: string;
}

/**
 * One HTML text that needs nothing else: a browser opens it from a file, and it asks for nothing on any network. Its
 * policy (Content Security Policy Level 3) lets run the one script and the one style in it, by their hashes, and nothing
 * else: what a stranger's text might smuggle in is inert. The data stand as JSON in `<script type="application/json">`.
 */
export function htmlPage(parts: PageParts): string {
  const style = lineFeeds(parts.style).replaceAll(/<\/(?=style)/gi, String.raw`<\/`);
  const script = parts.script === undefined ? null : scriptText(parts.script);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    ...(script === null ? [] : [`script-src '${hashOf(script)}'`]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    `<html lang="${escapeHtml(parts.lang)}">`,
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    '<link rel="icon" href="data:,">',
    `<title>${escapeHtml(parts.title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    parts.body,
    ...(parts.data === undefined
      ? []
      : [`<script type="application/json" id="data">${jsonInHtml(parts.data)}</script>`]),
    ...(script === null ? [] : [`<script>${script}</script>`]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Text as it may stand in HTML, in an element or in an attribute with double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** JSON that cannot end the element it stands in: `<`, `>`, `&` and the line ends of scripts are escaped. */
export function jsonInHtml(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A script that cannot end its element; in a string and in a pattern the escaped text means the same. */
function scriptText(script: string): string {
  return lineFeeds(script)
    .replaceAll(/<\/(?=script)/gi, String.raw`<\/`)
    .replaceAll('<!--', String.raw`<\!--`)
    .replaceAll(/<(?=script)/gi, String.raw`\x3c`);
}

/** A reader of HTML turns every line end into a line feed before the hash is taken. */
function lineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The hash of a text as a policy names it: `sha256-` and base64 (RFC 4648). */
function hashOf(text: string): string {
  const hex = sha256(new TextEncoder().encode(text));
  let out = '';
  for (let at = 0; at < hex.length; at += 6) {
    const part = hex.slice(at, at + 6);
    const bits = Number.parseInt(part.padEnd(6, '0'), 16);
    const count = part.length === 6 ? 4 : part.length === 4 ? 3 : 2;
    for (let i = 0; i < 4; i++) out += i < count ? digits[(bits >> (18 - 6 * i)) & 63] : '=';
  }
  return `sha256-${out}`;
}
