/** Remembers answers about texts that come again and again. */

/** Texts whose answer is remembered; a longer one is asked about each time. */
const mostRemembered = 100_000;
const longestRemembered = 200;

/** Answers to one question. */
export class RememberedAnswers<Answer> {
  #remembered = new Map<string, { readonly answer: Answer }>();

  /** What `answerOf` says of the text, or said before. */
  of(text: string, answerOf: () => Answer): Answer {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered.answer;
    const current = this.#remembered;
    const answer = answerOf();
    // The answer may have come about in part before all was forgotten.
    if (text.length > longestRemembered || current !== this.#remembered) return answer;
    if (current.size >= mostRemembered) current.clear();
    current.set(text, { answer });
    return answer;
  }

  /** Forgets all answers: they may be others now. */
  clear(): void {
    this.#remembered = new Map();
  }
}
