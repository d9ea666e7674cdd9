/** HTML, in which every text is escaped unless it was written here. */

/** A piece of HTML. Only this file makes one. */
export class Html {
  readonly #text: string;

  /** Not for others: `html` escapes, this does not. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: texts are escaped, lists are put one after the other, `undefined` is nothing. */
export type Content = Html | string | number | undefined | readonly Content[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML with values in it. What is no `Html` already is escaped, for elements and for quoted attributes alike. */
export function html(written: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(
    written.map((text, place) => (place === 0 ? text : `${textOf(values[place - 1])}${text}`)).join(''),
  );
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.toString();
  if (typeof content === 'object') return content.map(textOf).join('');
  return String(content).replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}
