import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeHtml, htmlPage, jsonInHtml } from './html-page.ts';

const parts = { title: 'a <b> & "c"', lang: 'en', style: 'p{color:red}', body: '<p>x</p>' };
const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
const policyOf = (page: string): string => /Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;

describe('a page', () => {
  it('allows its own style and script by their hashes, and nothing else', () => {
    const page = htmlPage({ ...parts, script: 'let a = "é";\r\nf(a);' });
    const policy = policyOf(page);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src '${hash('p{color:red}')}'`);
    expect(policy).toContain(`script-src '${hash('let a = "é";\nf(a);')}'`);
    expect(policy).not.toContain('unsafe');
  });

  it('names no script where it has none', () => {
    expect(policyOf(htmlPage(parts))).not.toContain('script-src');
    expect(htmlPage(parts)).not.toContain('<script');
  });

  it('escapes its title', () => {
    expect(htmlPage(parts)).toContain('<title>a &#60;b&#62; &#38; &#34;c&#34;</title>');
  });

  it('has a script that cannot end itself', () => {
    const page = htmlPage({ ...parts, script: 'x = "</script><!--<script>"' });
    expect([...page.matchAll(/<\/script/gi)]).toHaveLength(1);
    expect(page).not.toContain('<!--');
    expect(/<script>(.*)<\/script>/s.exec(page)![1]).toMatch(/^[^<]*<\\\/script><\\!--\\x3cscript>"$/);
  });

  it('has data that come back as they were and hold no markup', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = jsonInHtml(value);
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('escapes every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'`]|&(?!#\d+;)/);
      }),
    );
  });
});
