import { expect, test } from 'vitest';
import { html } from '../../../src/reporting/report/html.ts';

test('what others wrote is text in elements and in quoted attributes', () => {
  const text = `<b title='"'>&amp;</b>`;
  const escaped = '&lt;b title=&#39;&quot;&#39;&gt;&amp;amp;&lt;/b&gt;';
  expect(`${html`<p title="${text}">${text}</p>`}`).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('a piece of HTML within another is not escaped again', () => {
  expect(`${html`<ul>${['<', '>'].map((item) => html`<li>${item}</li>`)}</ul>`}`).toBe(
    '<ul><li>&lt;</li><li>&gt;</li></ul>',
  );
});

test('nothing is nothing, zero is a figure', () => {
  expect(`${html`<i>${undefined}${0}</i>`}`).toBe('<i>0</i>');
});
