import type { Verdict } from '../model/verdict.ts';
import { htmlPage } from './html-page.ts';
import { verdictHtml } from './html-report.ts';
import { pageStyle } from './html-style.ts';
import type { Lookup } from './lookup.ts';
import type { TimelineData } from './timeline-data.ts';
import type { ReportOptions } from './verdict-report.ts';
import { visible } from './visible.ts';
import { headlineOf } from './words.ts';

/** The style of a time line, wherever it is drawn. */
export const timelineStyle: string = `
main{max-width:1600px}
.toolbar{position:sticky;top:0;z-index:3;display:flex;gap:10px;align-items:center;background:var(--card);border-bottom:1px solid var(--line);padding:6px 0;flex-wrap:wrap}
.toolbar .grow{flex:1}
.toolbar input{font:inherit;font-size:13px;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:3px 8px}
.timeline{display:grid;grid-template-columns:minmax(130px,230px) minmax(0,1fr);border:1px solid var(--line);border-radius:6px;overflow:hidden;margin:8px 0}
@media (max-width:700px){.timeline{grid-template-columns:minmax(0,104px) minmax(0,1fr)}}
.timeline .names{overflow:hidden;position:relative;border-right:1px solid var(--line);background:var(--page)}
.timeline .names ol{list-style:none;margin:0;padding:0;position:absolute;left:0;right:0;top:0}
.timeline .names li{position:absolute;left:0;right:0;height:24px;line-height:24px;margin:0;padding:0 8px;font-size:12px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.timeline .names li.group{font-weight:600;background:var(--card);border-top:1px solid var(--line)}
.timeline .names li.legacy{color:var(--bad)}
.timeline .plot{position:relative;overflow-y:auto;overflow-x:hidden;max-height:72vh;touch-action:pan-y;cursor:grab}
.timeline .plot.dragging{cursor:grabbing}
.timeline canvas{position:sticky;top:0;display:block;width:100%}
.timeline .tip{position:fixed;z-index:4;max-width:420px;pointer-events:none;background:var(--card);border:1px solid var(--soft);border-radius:6px;padding:4px 8px;font-size:12px;overflow-wrap:anywhere;box-shadow:0 2px 8px #0003}
.overview{display:block;width:100%;height:38px;border:1px solid var(--line);border-radius:4px;cursor:pointer}
.found{list-style:none;padding:0}.found li{padding:2px 0}
.tag{display:inline-block;min-width:66px;text-align:center;border-radius:4px;padding:0 6px;font-size:12px;font-weight:600;color:var(--doubt);background:var(--doubt-tint)}
.found-waste .tag{color:var(--slow);background:var(--slow-tint)}.found-healthy .tag{color:var(--good);background:var(--good-tint)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px}
.legend .swatch{display:inline-block;width:14px;height:12px;border-radius:2px;vertical-align:-1px;margin-right:5px}
.legend figure{margin:4px 16px 4px 0}
.selection{min-height:24px;font-size:13px}
.selection table{font-size:13px}
`.trim();

/**
 * A verdict on a trace with its time line: one HTML page that needs nothing else.
 * @param script draws `data` into the element `#timeline` (`packages/view/src/timeline/page.ts`, bundled)
 * @param tables the summary of the trace, as HTML
 */
export function timelinePage(
  verdict: Verdict,
  lookup: Lookup,
  options: ReportOptions,
  data: TimelineData,
  script: string,
  tables: string = '',
): string {
  const left =
    data.left > 0
      ? [`${data.left.toLocaleString('en')} later events are not drawn; the verdict rests on all of them`]
      : [];
  const pictures =
    '<section class="card" id="timeline"><h2>Time line</h2><noscript><p>It is drawn by a script, which this browser does not run. culprit trace --svg draws a range without one.</p></noscript></section>';
  return htmlPage({
    title: `culprit trace: ${visible(headlineOf(verdict))}`,
    lang: 'en',
    style: `${pageStyle}\n${timelineStyle}`,
    body: `<main>\n${verdictHtml(verdict, lookup, { ...options, left: [...options.left, ...left] }, pictures, tables)}\n</main>`,
    data,
    script,
  });
}
