import type { Verdict } from '../model/verdict.ts';
import type { SeriesData } from '../utilization/series-data.ts';
import { htmlPage } from './html-page.ts';
import { verdictHtml } from './html-report.ts';
import { pageStyle } from './html-style.ts';
import type { Lookup } from './lookup.ts';
import type { ReportOptions } from './verdict-report.ts';
import { visible } from './visible.ts';
import { headlineOf } from './words.ts';

/** Numbers that the data of a page may have: about 4 MB of text. */
export const mostPageNumbers = 600_000;

/** The style of time lines of GPUs, wherever they are drawn. */
export const seriesStyle: string = `
.uplot{font-family:inherit;line-height:1.5;width:min-content}.u-wrap{position:relative;user-select:none}.u-over,.u-under{position:absolute}.u-under{overflow:hidden}.uplot canvas{display:block;position:relative;width:100%;height:100%}.u-axis{position:absolute}
.u-select{background:color-mix(in srgb,var(--link) 18%,transparent);position:absolute;pointer-events:none}.u-cursor-x,.u-cursor-y{position:absolute;left:0;top:0;pointer-events:none;will-change:transform}.u-hz .u-cursor-x{height:100%;border-right:1px dashed var(--soft)}.u-hz .u-cursor-y{width:100%;border-bottom:1px dashed var(--soft)}
.u-cursor-pt{position:absolute;top:0;left:0;border-radius:50%;border:0 solid;pointer-events:none;will-change:transform;background-clip:padding-box!important}.u-axis.u-off,.u-select.u-off,.u-cursor-x.u-off,.u-cursor-y.u-off,.u-cursor-pt.u-off{display:none}
main{max-width:1600px}
.toolbar{position:sticky;top:0;z-index:3;display:flex;gap:12px;align-items:center;background:var(--card);border-bottom:1px solid var(--line);padding:6px 0;flex-wrap:wrap}
.toolbar .grow{flex:1}
#series-time{font-variant-numeric:tabular-nums;color:var(--ink);font-weight:600}
button:disabled{opacity:.45;cursor:default}
.found{list-style:none;padding:0}.found li{padding:2px 0}
.tag{display:inline-block;min-width:66px;text-align:center;border-radius:4px;padding:0 6px;font-size:12px;font-weight:600;color:var(--doubt);background:var(--doubt-tint)}
.found-fault .tag{color:var(--bad);background:var(--bad-tint)}.found-healthy .tag{color:var(--good);background:var(--good-tint)}
.gpus{display:grid;grid-template-columns:minmax(0,1fr);gap:14px}
@media (min-width:1100px){.gpus.many{grid-template-columns:repeat(2,minmax(0,1fr))}}
.gpu{border-top:2px solid var(--line);padding-top:4px;min-width:0;scroll-margin-top:44px}
.gpu h3{margin:6px 0}.gpu h3 .soft{font-weight:400;font-size:13px}
.panel{min-height:158px;margin-bottom:4px}
.panel-head{display:flex;gap:14px;align-items:baseline;flex-wrap:wrap}
.panel h4,.lanes h4{margin:0;font-size:13px;font-weight:600}
.readout{margin:0;font-size:12px;color:var(--soft);font-variant-numeric:tabular-nums;display:flex;gap:10px;flex-wrap:wrap}
.readout b{font-weight:600;color:var(--ink);display:inline-block;min-width:34px}
.key::before{content:"";display:inline-block;width:12px;height:3px;border-radius:2px;vertical-align:middle;margin-right:4px;background:var(--key)}
.key-0{--key:#0060a8}.key-1{--key:#b35c00}.key-2{--key:#00795a}.key-3{--key:#a3338b}.key-4{--key:#5f6672}.key-5{--key:#7a6a00}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){.key-0{--key:#6cb6ff}.key-1{--key:#ffb054}.key-2{--key:#4fd0a7}.key-3{--key:#f08fd8}.key-4{--key:#b3bac6}.key-5{--key:#e3cf4a}}}
:root[data-theme=dark]{.key-0{--key:#6cb6ff}.key-1{--key:#ffb054}.key-2{--key:#4fd0a7}.key-3{--key:#f08fd8}.key-4{--key:#b3bac6}.key-5{--key:#e3cf4a}}
.key.limit::before{height:0;border-top:2px dashed var(--bad);background:none;border-radius:0}
.plot{min-height:132px}
.lanes{margin:2px 0 8px}
.lane{padding:1px 30px 1px 58px;font-size:12px}
.lane a,.lane>span:first-child{display:inline-block;max-width:100%}
.track{display:block;position:relative;height:8px;background:var(--code);border-radius:2px;overflow:hidden}
.track i{position:absolute;top:0;bottom:0;min-width:2px;background:var(--mark)}
.track.unclear i{background:var(--doubt)}.track.harmless i{background:var(--soft);opacity:.55}
`.trim();

/**
 * A verdict on series with the time lines of each GPU: one HTML page that needs nothing else.
 * @param script draws `data` into the element `#series` (`packages/view/src/series/page.ts`, bundled)
 */
export function seriesPage(
  verdict: Verdict,
  lookup: Lookup,
  options: ReportOptions,
  data: SeriesData,
  script: string,
): string {
  const left = data.left > 0 ? [`${data.left} more GPUs are not drawn; --format csv has their numbers`] : [];
  const pictures =
    '<section class="card" id="series"><h2>Time lines</h2><noscript><p>They are drawn by a script, which this browser does not run. culprit util --svg draws them without one.</p></noscript></section>';
  return htmlPage({
    title: `culprit util: ${visible(headlineOf(verdict))}`,
    lang: 'en',
    style: `${pageStyle}\n${seriesStyle}`,
    body: `<main>\n${verdictHtml(verdict, lookup, { ...options, left: [...options.left, ...left] }, pictures)}\n</main>`,
    data,
    script,
  });
}
