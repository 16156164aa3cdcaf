import { fits } from '../knowledge/explained-by.ts';
import type { Evidence } from '../model/document.ts';
import type { Finding, Verdict } from '../model/verdict.ts';
import { clearedTogether } from './cleared.ts';
import { escapeHtml, htmlPage } from './html-page.ts';
import { pageStyle } from './html-style.ts';
import { ledTo } from './led-to.ts';
import type { Lookup } from './lookup.ts';
import { walkOf } from './pod-links.ts';
import { measuredLines } from './trace-measured.ts';
import { isCommand, missingWords } from './text-report.ts';
import type { ReportOptions } from './verdict-report.ts';
import { visible } from './visible.ts';
import { actorWords, certaintyWords, headlineOf, layerWords, othersTitle, placeWords, statusWords } from './words.ts';

const mostEvidence = 24;

/** A verdict as one HTML page that needs nothing else. */
export function htmlReport(verdict: Verdict, lookup: Lookup, options: ReportOptions): string {
  return htmlPage({
    title: `culprit: ${visible(headlineOf(verdict))}`,
    lang: 'en',
    style: pageStyle,
    body: `<main>\n${verdictHtml(verdict, lookup, options)}\n</main>`,
  });
}

/**
 * A verdict as the content of `<main>`: the answer, its proof, the fix in order, then the rest. Findings have the ids
 * `finding-1` and on, and their cause in `data-cause`, so that a picture can point at them.
 * @param pictures HTML that stands behind the answer and its proof
 * @param tables HTML that stands behind all of it
 */
export function verdictHtml(
  verdict: Verdict,
  lookup: Lookup,
  options: ReportOptions,
  pictures: string = '',
  tables: string = '',
): string {
  const [lead] = verdict.findings;
  const accused = lead !== undefined && verdict.certainty !== null;
  const parts: string[] = [headline(verdict, accused ? lead : null)];
  if (accused) parts.push(leading(lead, verdict, lookup));
  parts.push(walked(verdict), pictures);
  const others = accused ? verdict.findings.slice(1) : verdict.findings;
  if (others.length > 0)
    parts.push(
      card(
        othersTitle(verdict),
        others
          .map((each, at) => other(each, verdict, at + (accused ? 2 : 1), accused ? lead : null, lookup))
          .join('\n'),
      ),
    );
  if (verdict.cleared.length > 0)
    parts.push(
      card(
        'Cleared',
        list(
          clearedTogether(verdict.cleared).map(({ layers, because, evidence }) => {
            const [seen] = evidence;
            return `${layers}: ${text(because)}${seen === undefined ? '' : ` <span class="soft">${text(placeWords(seen))}</span>`}`;
          }),
        ),
      ),
    );
  if (verdict.unknown.length > 0)
    parts.push(
      card(
        accused || verdict.status === 'ok' ? 'Not known' : 'What would decide',
        list(
          verdict.unknown.map(({ layer, missing, ask }) => {
            const of = layer === null ? '' : `${layerWords[layer]}: `;
            return `${of}${text(missing.map(missingWords).join(', '))}${isCommand(ask) ? command(ask) : `<p>${text(ask)}</p>`}`;
          }),
        ),
      ),
    );
  if (options.left.length > 0) parts.push(card('Left out', list(options.left.map(text))));
  parts.push(
    tables,
    `<footer>culprit ${text(options.version)}, tables as of ${text(verdict.knowledge.asOf)}, ${text(verdict.knowledge.digest.slice(0, 19))}</footer>`,
  );
  return parts.filter((part) => part !== '').join('\n');
}

/** Text of the input: nothing of it is markup, and nothing of it is hidden. */
function text(value: string): string {
  return escapeHtml(visible(value));
}

function card(title: string, content: string): string {
  return `<section class="card"><h2>${title}</h2>\n${content}\n</section>`;
}

function list(items: readonly string[]): string {
  return `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;
}

function command(value: string): string {
  return `<pre tabindex="0"><code>${text(value)}</code></pre>`;
}

function headline(verdict: Verdict, lead: Finding | null): string {
  const words = statusWords(verdict);
  const tone =
    words === null ? 'doubt' : verdict.status === 'ok' ? 'good' : verdict.status === 'performance' ? 'slow' : 'bad';
  const status = words ?? 'cannot tell';
  const meta =
    lead === null
      ? ''
      : `\n<p class="meta"><code>${text(lead.rule)}</code> ${lead.certainty}: ${certaintyWords[lead.certainty]}</p>`;
  return `<header class="verdict ${tone}">\n<p class="status">${status}</p>\n<h1>${text(verdict.headline)}</h1>${meta}${next(verdict)}\n</header>`;
}

/** Where nothing can be told: the one thing to do now. */
function next({ status, unknown: [first] }: Verdict): string {
  if (status !== 'cannot-tell' || first === undefined) return '';
  return isCommand(first.ask)
    ? `\n<p>Run this next, and add what it prints:</p>${command(first.ask)}`
    : `\n<p>Next: ${text(first.ask)}</p>`;
}

function leading(finding: Finding, verdict: Verdict, lookup: Lookup): string {
  const parts = [measured(verdict, finding), quoted(finding.evidence)].filter((part) => part !== '');
  const sentence = lookup.sentence(finding);
  const sources = lookup.sources(finding).map((each) => link(each.url, each.title));
  if (sentence !== null)
    parts.push(
      `<h3>The rule</h3>\n<p>${text(sentence)}${sources.length === 0 ? '' : ` <span class="soft">(${sources.join(', ')})</span>`}</p>`,
    );
  if (finding.remedies.length > 0) parts.push(`<h3>The fix, in this order</h3>\n${fix(finding)}`);
  const steps = ledTo(verdict, finding, lookup);
  if (steps.length > 0) parts.push(`<h3>Led to</h3>\n${list(steps.map(text))}`);
  return section(finding, 1, `<h2>The proof</h2>\n${parts.join('\n')}`, 'card');
}

function other(finding: Finding, verdict: Verdict, number: number, lead: Finding | null, lookup: Lookup): string {
  const follows = lead?.explains.some((pattern) => fits(pattern, finding.rule)) === true;
  const parts = [
    `<h3>${text(finding.message)}</h3>`,
    `<p><span class="certainty">${finding.certainty}</span> ${layerWords[finding.layer]}, <code>${text(finding.rule)}</code>${follows ? ', a consequence of the above' : ''}</p>`,
    ...[measured(verdict, finding)].filter((part) => part !== ''),
  ];
  const sentence = lookup.sentence(finding);
  const inside = [
    finding.evidence.length === 0 ? '' : quoted(finding.evidence),
    sentence === null ? '' : `<p>The rule: ${text(sentence)}</p>`,
    finding.remedies.length === 0 ? '' : fix(finding),
  ].filter((part) => part !== '');
  if (inside.length > 0) parts.push(`<details><summary>proof and fix</summary>\n${inside.join('\n')}\n</details>`);
  return section(finding, number, parts.join('\n'), '');
}

/** What the finding could save at most, and its numbers against their thresholds. */
function measured(verdict: Verdict, finding: Finding): string {
  const lines = measuredLines(verdict, finding);
  return lines.length === 0 ? '' : `<p>${lines.map(text).join('<br>')}</p>`;
}

function section(finding: Finding, number: number, content: string, style: string): string {
  return `<section id="finding-${number}" data-cause="${text(finding.cause)}"${style === '' ? '' : ` class="${style}"`}>\n${content}\n</section>`;
}

function fix(finding: Finding): string {
  const steps = finding.remedies.map(
    (each) =>
      `<li><strong>${actorWords[each.actor]}</strong>: ${text(each.do)}${each.command === undefined ? '' : command(each.command)}</li>`,
  );
  return `<ol>\n${steps.join('\n')}\n</ol>`;
}

/** The user's own lines, by file, with their numbers. */
function quoted(evidence: readonly Evidence[]): string {
  const files = [...new Set(evidence.map((each) => each.file))];
  const shown = evidence.slice(0, mostEvidence);
  const figures = files.flatMap((file) => {
    const lines = shown.filter((each) => each.file === file).toSorted((a, b) => a.line - b.line || a.column - b.column);
    const [first] = lines;
    if (first === undefined) return [];
    const rows = lines.map((each) => `<span class="n">${each.line}</span><span>${text(each.text)}</span>`).join('');
    return `<figure><figcaption>${text(placeWords(first))}</figcaption><pre class="lines" tabindex="0">${rows}</pre></figure>`;
  });
  const more = evidence.length - shown.length;
  return figures.join('\n') + (more > 0 ? `\n<p class="soft">… and ${more} more lines</p>` : '');
}

/** The way from a pod to its GPU, link by link. */
function walked(verdict: Verdict): string {
  const walk = walkOf(verdict);
  if (walk === null) return '';
  const rows = walk.links.map(
    ({ name, sign, message, quoted: lines }) =>
      `<tr><th scope="row">${sign} ${name}</th><td>${text(message)}${lines.length === 0 ? '' : `<pre tabindex="0">${lines.map(text).join('\n')}</pre>`}</td></tr>`,
  );
  const rest = walk.rest === null ? '' : `\n<p>It ${text(walk.rest)}</p>`;
  return card(text(walk.title), `<table><tbody>\n${rows.join('\n')}\n</tbody></table>${rest}`);
}

function link(url: string, title: string): string {
  const words = text(title === '' ? url : title);
  return /^https?:\/\//.test(url) ? `<a href="${text(url)}" rel="noreferrer">${words}</a>` : words;
}
