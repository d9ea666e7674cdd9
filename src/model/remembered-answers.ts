/** A bounded cache of results for texts that come again and again. */

/** Limits of the cache: number of texts, and length of a text. The result of a longer text is computed each time. */
const mostRemembered = 100_000;
const longestRemembered = 200;

/** Cached results of one function. */
export class RememberedAnswers<Answer> {
  #remembered = new Map<string, { readonly answer: Answer }>();

  /** The cached result for the text, else the result of `answerOf`. */
  of(text: string, answerOf: () => Answer): Answer {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered.answer;
    const current = this.#remembered;
    const answer = answerOf();
    // `clear` may have been called while the answer was computed.
    if (text.length > longestRemembered || current !== this.#remembered) return answer;
    if (current.size >= mostRemembered) current.clear();
    current.set(text, { answer });
    return answer;
  }

  /** Empties the cache, because results may have changed. */
  clear(): void {
    this.#remembered = new Map();
  }
}
