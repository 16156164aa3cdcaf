/**
 * The style of every page: colours for light and dark (by the system, or by `data-theme` of the root), a verdict, tables
 * and code. Contrast is at least 4.5 to 1 (WCAG 2.2, 1.4.3) in both.
 */
export const pageStyle: string = `
:root{color-scheme:light;--page:#f6f7f9;--card:#fff;--ink:#1a1d23;--soft:#535b69;--line:#d9dde4;--link:#0b57c2;--code:#f0f2f5;--bad:#b3261e;--bad-tint:#fdeceb;--slow:#8a5300;--slow-tint:#fdf3e1;--good:#1b6e37;--good-tint:#e8f5ec;--doubt:#4b5563;--doubt-tint:#eef0f3;--mark:#d9480f}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--page:#14171c;--card:#1c2027;--ink:#e7eaf0;--soft:#a4adbb;--line:#343b47;--link:#8ab4ff;--code:#252a33;--bad:#ff8f86;--bad-tint:#3a1f1f;--slow:#f5b95a;--slow-tint:#352a16;--good:#7fd39a;--good-tint:#183323;--doubt:#b6bfcc;--doubt-tint:#272d37;--mark:#ff9d5c}}
:root[data-theme=dark]{color-scheme:dark;--page:#14171c;--card:#1c2027;--ink:#e7eaf0;--soft:#a4adbb;--line:#343b47;--link:#8ab4ff;--code:#252a33;--bad:#ff8f86;--bad-tint:#3a1f1f;--slow:#f5b95a;--slow-tint:#352a16;--good:#7fd39a;--good-tint:#183323;--doubt:#b6bfcc;--doubt-tint:#272d37;--mark:#ff9d5c}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:20px 20px 48px}
h1{font-size:21px;line-height:1.3;margin:2px 0 6px;overflow-wrap:anywhere}
h2{font-size:16px;margin:24px 0 8px}
h3{font-size:15px;margin:14px 0 4px}
p{margin:6px 0;overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
code{background:var(--code);border-radius:4px;padding:1px 4px;overflow-wrap:anywhere}
pre{background:var(--code);border-radius:6px;padding:8px 12px;margin:6px 0;overflow-x:auto;white-space:pre;line-height:1.45}
pre code{padding:0;background:none}
.soft{color:var(--soft)}
.verdict{border:1px solid var(--line);border-left:6px solid var(--tone);border-radius:8px;background:var(--tint);padding:14px 18px}
.verdict .status{color:var(--tone);font-weight:600;margin:0}
.verdict .meta{color:var(--soft);margin:0}
.bad{--tone:var(--bad);--tint:var(--bad-tint)}.slow{--tone:var(--slow);--tint:var(--slow-tint)}
.good{--tone:var(--good);--tint:var(--good-tint)}.doubt{--tone:var(--doubt);--tint:var(--doubt-tint)}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:4px 18px 12px;margin:14px 0}
.card>h2{margin:12px 0 6px}
figure{margin:8px 0}figcaption{color:var(--soft);font-size:13px}
.lines{display:grid;grid-template-columns:auto 1fr;column-gap:12px}
.lines .n{color:var(--soft);text-align:right;user-select:none}
ol,ul{margin:6px 0;padding-left:24px}li{margin:4px 0;overflow-wrap:anywhere}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--line);padding:4px 10px 4px 0;text-align:left;vertical-align:top}
th.num,td.num{text-align:right;white-space:nowrap}
.scroll{overflow-x:auto}
summary{cursor:pointer}
button{font:inherit;font-size:13px;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:3px 10px;cursor:pointer}
button:hover{border-color:var(--soft)}
button[aria-pressed=true]{border-color:var(--link);box-shadow:inset 0 0 0 1px var(--link)}
.certainty{display:inline-block;border:1px solid var(--line);border-radius:999px;padding:0 8px;font-size:12px;color:var(--soft)}
:target{outline:2px solid var(--link);outline-offset:2px}
footer{color:var(--soft);font-size:13px;margin-top:24px}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{main{max-width:none;padding:0}button{display:none}.card,.verdict{break-inside:avoid}}
`.trim();
