/** The credit limits of single users of the simulated platform (platform-api.md §2.4, §4.1). */
import type { LimitsAnswer, LimitsRequest } from '../model/platform/credit-limits.ts';

export class UserLimits {
  readonly #limits = new Map<string, number>();
  readonly #isUser: (email: string) => boolean;

  /** `isUser` says whether a user has an e-mail; it gets the e-mail as the request has it. */
  constructor(isUser: (email: string) => boolean) {
    this.#isUser = isUser;
  }

  /** The limit of a user, by e-mail in any letter case; undefined when only the organization's limit applies. */
  limitOf(email: string): number | undefined {
    return this.#limits.get(email.toLowerCase());
  }

  /** Sets or removes limits. If that is not possible for a user, it is still done for all other users. */
  set({ users }: LimitsRequest): LimitsAnswer {
    const answer: LimitsAnswer = { updated: [], errors: [] };
    for (const { email, limit } of users) {
      if (!this.#isUser(email)) {
        answer.errors.push({ email, error: 'no user of the organization has this e-mail' });
        continue;
      }
      if (limit === null) this.#limits.delete(email.toLowerCase());
      else this.#limits.set(email.toLowerCase(), limit);
      answer.updated.push({ email, limit });
    }
    return answer;
  }
}
