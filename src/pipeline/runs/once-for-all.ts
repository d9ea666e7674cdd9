/** Work that runs of one process need done once, such as a search in the rows of all organizations. */

/** What the work depends on. */
export interface SharedWork {
  /** Takes over what the work of others has found. */
  readonly renew: () => Promise<void>;
  /** A number that grows with what is known. */
  readonly known: () => number;
  readonly work: () => Promise<void>;
}

/** Does such work in turn, and leaves it out where it was done and nobody knows more since. */
export class OnceForAll {
  #done = -1;
  #last: Promise<void> = Promise.resolve();

  /** Waits for the work of others, then does its own if something is new. Throws the errors of its own work. */
  do({ renew, known, work }: SharedWork): Promise<void> {
    const turn = this.#last
      // The work of another run failed. That run tells it.
      .catch(() => undefined)
      .then(async () => {
        await renew();
        if (known() === this.#done) return;
        await work();
        this.#done = known();
      });
    this.#last = turn;
    return turn;
  }
}
