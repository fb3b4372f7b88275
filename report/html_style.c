// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html_style.h"
#include "report/palette.h"

/* Wide things scroll by themselves, so that the text never does. */
static const char layout[] =
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1rem;max-width:60rem;background:var(--paper);color:var(--ink);"
	"font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.6rem;line-height:1.2}\n"
	"h2{font-size:1.3rem;line-height:1.25;margin:2.5rem 0 .5rem;padding-top:.7rem;"
	"border-top:2px solid var(--faint)}\n"
	"h3{font-size:1.1rem;margin:1.8rem 0 .4rem}\n"
	"h4{font-size:1rem;margin:1.4rem 0 .3rem}\n"
	"a{color:var(--blue)}\n"
	":focus-visible{outline:2px solid var(--blue);outline-offset:2px}\n"
	"dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.2rem 1rem;"
	"margin:.5rem 0}\n"
	"dt{color:var(--muted)}\n"
	"dd{margin:0;min-width:0}\n"
	"dl.small{font-size:.85rem}\n"
	"code{font:.9em/1.4 ui-monospace,monospace}\n"
	".wide,.plot{overflow-x:auto;max-width:100%}\n"
	"table{border-collapse:collapse;margin:.8rem 0;font-size:.9rem;"
	"font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;font-weight:600;padding-bottom:.3rem}\n"
	"th,td{padding:.25rem .7rem;border-bottom:1px solid var(--faint);text-align:right;"
	"vertical-align:top;overflow-wrap:normal;white-space:nowrap}\n"
	"th{font-weight:600}\n"
	"thead th{border-bottom:2px solid var(--muted);vertical-align:bottom}\n"
	"th:first-child,.timeline th,td.words{text-align:left}\n"
	"td.words{white-space:normal;min-width:14rem}\n"
	"thead th{white-space:normal}\n"
	"td.step,td.elsewhere,td.step~td,td.elsewhere~td{text-align:left}\n"
	"td.step{background:var(--band);min-width:13rem;white-space:normal}\n"
	"td.old{border-left:4px solid var(--red)}\n"
	"td code{white-space:pre-wrap}\n"
	"figure{margin:1.2rem 0}\n"
	"figure svg{display:block;width:100%;min-width:27rem;max-width:42rem}\n"
	"figcaption{font-size:.85rem;color:var(--muted);max-width:42rem}\n"
	"summary{cursor:pointer;color:var(--blue);padding:.2rem 0}\n"
	".warning{border-left:4px solid var(--red);padding:.3rem .8rem;background:var(--band)}\n"
	".none{color:var(--muted)}\n"
	"footer{margin-top:3rem;border-top:1px solid var(--faint);font-size:.85rem;"
	"color:var(--muted)}\n"
	"@media(max-width:30rem){body{padding:.7rem}dl{display:block}dd{margin:0 0 .4rem}"
	"th,td{padding:.25rem .45rem}}\n"
	"@media print{body{max-width:none;font-size:10pt;padding:0}nav{display:none}"
	".wide,.plot{overflow:visible}figure,tr{break-inside:avoid}h2,h3,h4{break-after:avoid}"
	"figure svg{max-width:15cm;min-width:0}details>summary{color:var(--ink)}"
	"th,td{padding:.15rem .35rem}table{font-size:8pt}}\n";

void html_style(FILE *out)
{
	palette_style(out);
	fputs(layout, out);
}
