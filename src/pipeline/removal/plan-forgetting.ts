/** Whom a name means, and which of their addresses are theirs alone: decided before anything is done. */
import { emailKey } from '../../model/email.ts';
import { mayBeEmail } from '../../model/forgotten-persons.ts';
import type { NameOfAddress } from '../../model/withheld-emails.ts';
import type { EachOwner, StoredOwner } from '../../warehouse/removal/stored-owners.ts';

/** A user who is to be forgotten. */
export interface NamedUser {
  readonly orgKey: number;
  readonly userId: string;
  /** Addresses of the user that others have or had, too: they stay theirs. */
  readonly shared: readonly string[];
}

/** What forgetting a name comes to. */
export interface ForgetPlan {
  /** By organization and user id. */
  readonly users: readonly NamedUser[];
  /** Addresses of these users, without the one that was asked for: those that nobody else ever had, and the others. */
  readonly sole: readonly string[];
  readonly shared: readonly string[];
}

/**
 * Reads whom a name means: a user id that user of every organization, an e-mail every user who has or had it. Users for
 * whom `isForgotten` holds have no say in whose an address is.
 */
export async function planForgetting(
  name: string,
  each: EachOwner,
  isForgotten: (userId: string) => boolean,
  nameOfAddress: NameOfAddress,
): Promise<ForgetPlan> {
  const asked = mayBeEmail(name) ? emailKey(name) : undefined;
  const ids = await namedIds(name, asked, each, nameOfAddress);
  const addressesOf = new Map<string, StoredOwner & { readonly addresses: Set<string> }>();
  await each((owner) => {
    if (!ids.has(owner.userId)) return;
    const key = JSON.stringify([owner.orgKey, owner.userId]);
    const known = addressesOf.get(key) ?? { ...owner, addresses: new Set() };
    addressesOf.set(key, known);
    for (const address of addressesIn(owner)) if (address !== asked) known.addresses.add(address);
  });
  const users = [...addressesOf.values()];
  const all = new Set(users.flatMap(({ addresses }) => [...addresses]));
  const shared = new Set<string>();
  await each((owner) => {
    if (ids.has(owner.userId) || isForgotten(owner.userId)) return;
    for (const address of addressesIn(owner)) if (all.has(address)) shared.add(address);
  });
  return {
    users: users
      .map(({ orgKey, userId, addresses }) => ({
        orgKey,
        userId,
        shared: [...addresses].filter((email) => shared.has(email)).sort(),
      }))
      .sort((a, b) => a.orgKey - b.orgKey || (a.userId < b.userId ? -1 : 1)),
    sole: [...all.difference(shared)],
    shared: [...shared],
  };
}

/** The addresses of an owner. An id may be one. */
export function addressesIn({ userId, email }: StoredOwner): string[] {
  return [email ?? '', emailKey(userId)].filter(mayBeEmail);
}

/** The ids of the users who are meant. */
async function namedIds(
  name: string,
  asked: string | undefined,
  each: EachOwner,
  nameOfAddress: NameOfAddress,
): Promise<Set<string>> {
  const ids = new Set<string>();
  if (asked === undefined) return ids.add(name);
  // With USER_EMAIL=none the digest of an address may be a user id.
  const withheld = new Set([nameOfAddress(name), nameOfAddress(asked)]);
  await each((owner) => {
    if (addressesIn(owner).includes(asked) || withheld.has(owner.userId)) ids.add(owner.userId);
  });
  return ids;
}
