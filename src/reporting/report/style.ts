/** The style of a report: light or dark by the reader's setting, for wide screens, phones and print. */
import { dark, heatSteps, light, mostHeatPercent, variablesOf } from './palette.ts';

const drawnColors = light.drawn.map((_, place) => place + 1);
const fills = drawnColors.map((number) => `.fill${number}{fill:var(--c${number})}`).join('');
const keys = drawnColors.map((number) => `.key${number}{background:var(--c${number})}`).join('');
const heats = Array.from({ length: heatSteps }, (_, place) => {
  const percent = Math.round(((place + 1) * mostHeatPercent) / heatSteps);
  return `.h${place + 1}{background:color-mix(in srgb,var(--c1) ${percent}%,var(--surface))}`;
}).join('');

/** The style sheet of the page. */
export const style = `
:root{color-scheme:light dark;${variablesOf(light)}}
@media screen and (prefers-color-scheme:dark){:root{${variablesOf(dark)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:1032px;margin:0 auto;padding:0 16px}
header{padding-top:40px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.02em;margin:4px 0 6px;text-wrap:balance}
h2{font-size:22px;line-height:1.3;letter-spacing:-.01em;margin:36px 0 4px;overflow-wrap:anywhere}
h3{font-size:16px;line-height:1.35;margin:0}
p{margin:0}
.eyebrow{color:var(--muted);font-size:13px;font-weight:600;letter-spacing:.06em;text-transform:uppercase}
.lead{font-size:17px;max-width:62ch;margin:10px 0 0;text-wrap:pretty}
.note{color:var(--muted);font-size:13px;line-height:1.45;max-width:75ch}
.card .note{margin-top:2px}
nav{margin:14px 0 0;font-size:14px}
nav ul{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:0;padding:0}
a{color:inherit}
:focus-visible{outline:2px solid var(--c1);outline-offset:2px;border-radius:4px}
.grid{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));gap:16px;margin:20px 0 0}
.card{grid-column:span 12;background:var(--surface);border:1px solid var(--rule);border-radius:14px;padding:18px 20px;min-width:0}
.card.half{grid-column:span 6}
.card.third{grid-column:span 4}
.heads{grid-template-columns:repeat(4,minmax(0,1fr))}
.head{grid-column:auto;padding:14px 16px 12px;position:relative;overflow:hidden}
.head h3{font-size:13px;font-weight:500;color:var(--muted)}
.head .value{font-size:27px;line-height:1.25;font-weight:650;letter-spacing:-.02em;white-space:nowrap}
.head .change{font-size:13px;color:var(--muted);min-height:1.5em}
.spark{display:block;width:100%;height:30px;margin-top:8px}
.spark .area{fill:var(--c1);opacity:.12}
.spark .line{fill:none;stroke:var(--c1);stroke-width:1.6;stroke-linejoin:round;vector-effect:non-scaling-stroke}
.chart{display:block;width:100%;height:auto;margin-top:12px;font-size:12px;overflow:visible}
.narrow{display:none}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:10px 0 0;padding:0;font-size:13px}
.legend li{display:flex;align-items:center;gap:7px;overflow-wrap:anywhere}
.key{flex:none;display:inline-block;width:11px;height:11px;border-radius:3px;print-color-adjust:exact}
.row{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 8px}
.row .name{flex:1;min-width:0}
.row .key{align-self:flex-start;margin-top:5px}
.row .bar{flex:0 0 100%}
.full .row .name{flex:0 0 250px}
.full .row .bar{flex:1 1 120px;align-self:center;margin:0;height:8px}
${keys}
.bar{display:block;width:100%;height:6px;margin-top:5px}
.track{fill:var(--track)}
${fills}
.half .row .sub{display:block}
abbr{text-decoration:none}
.scroll{overflow-x:auto;margin:10px -20px 0;padding:0 20px}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{padding:6px 0 6px 14px;text-align:right;vertical-align:top;border-top:1px solid var(--rule);white-space:nowrap}
th:first-child{padding-left:0;text-align:left}
th:first-child{position:sticky;left:0;background:var(--surface)}
thead th{border-top:0;color:var(--muted);font-weight:500;font-size:12.5px;vertical-align:bottom;white-space:normal}
tbody th{font-weight:500;white-space:normal;overflow-wrap:anywhere;min-width:8.5em}
.sub{color:var(--muted);font-weight:400;font-size:13px}
.unknown{color:var(--muted)}
details{margin-top:12px}
summary{cursor:pointer;color:var(--muted);font-size:13px;width:max-content}
details[open] .scroll{max-height:420px;overflow-y:auto}
.heat{table-layout:fixed}
.heat th,.heat td{border:0;padding:0;text-align:center;font-size:12.5px}
.heat td{height:26px;vertical-align:middle;border:2px solid var(--surface);border-radius:7px}
.heat tbody th{text-align:left;font-size:12.5px;font-weight:400;color:var(--muted);min-width:0;vertical-align:middle;white-space:nowrap}
.heat thead th:first-child{text-align:left}
.heat col:first-child{width:21%}
${heats}
.empty{margin-top:20px;padding:28px;text-align:center}
footer{padding-top:28px;padding-bottom:48px;color:var(--muted);font-size:13px}
@media (max-width:760px){
.heads{grid-template-columns:repeat(2,minmax(0,1fr))}
.grid{gap:12px}
.card.half,.card.third{grid-column:span 12}
.head,.card.head{grid-column:auto}
.card{padding:16px}
.scroll{margin:10px -16px 0;padding:0 16px}
.wide{display:none}
.narrow{display:block;max-width:460px}
.full .row .name{flex:1}
.full .row .bar{flex:0 0 100%;height:6px;margin-top:5px}
.more{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
header{padding-top:24px}
h1{font-size:25px}
.head .value{font-size:23px}
}
@media print{
@page{margin:14mm 12mm}
body{background:none;font-size:12px}
main,header,footer{max-width:none;padding:0}
header{padding-top:0}
.grid{gap:10px;margin-top:12px}
.card{break-inside:avoid;padding:12px 14px}
.heads{grid-template-columns:repeat(4,minmax(0,1fr))}
.card.half{grid-column:span 6}
.card.third{grid-column:span 4}
.head,.card.head{grid-column:auto}
.full .row .name{flex:0 0 170px}
.wide{display:block}
.narrow{display:none}
.head .value{font-size:20px}
table{font-size:10.5px}
th,td{padding:3px 0 3px 8px}
.half .row .sub{display:inline}
.heat td{height:20px}
.chart{margin-top:6px}
thead th,.note,.legend,.sub,.head .change{font-size:10.5px}
.scroll{overflow:visible;margin:8px 0 0;padding:0}
details:not([open]){display:none}
h1{font-size:22px}
h2{font-size:17px;margin-top:10px;break-after:avoid}
.lead{font-size:13px;margin-top:4px}
.head h3{font-size:10.5px}
.spark{height:22px;margin-top:4px}
th:first-child{position:static}
tbody th{min-width:6em}
.row .bar{margin-top:2px}
tr,.chart{break-inside:avoid}
footer{padding:10px 0 0;font-size:10.5px;break-before:avoid}
}
`.trim();
