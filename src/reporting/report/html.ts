/** HTML templates that escape every value. */

/** A piece of HTML that is not escaped again. */
export class Html {
  readonly #text: string;

  /** Only for trusted text, which is taken as it is. For all other text use `html`, which escapes it. */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A value in a template: texts are escaped, lists are joined, `undefined` is empty. */
export type Content = Html | string | number | undefined | readonly Content[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template. Values other than `Html` are escaped, for elements and quoted attributes. */
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
