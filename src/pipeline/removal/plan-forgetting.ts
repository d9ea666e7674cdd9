/** Finds the users with a name, and the addresses that only they have. It changes nothing. */
import { emailKey } from '../../model/email.ts';
import { mayBeEmail } from '../../model/forgotten-persons.ts';
import type { NameOfAddress } from '../../model/withheld-emails.ts';
import type { EachOwner, StoredOwner } from '../../warehouse/removal/stored-owners.ts';

/** A user to forget. */
export interface NamedUser {
  readonly orgKey: number;
  readonly userId: string;
  /** Addresses of the user that other users have or had, too. They stay stored for those users. */
  readonly shared: readonly string[];
}

/** The users to forget, and their addresses. */
export interface ForgetPlan {
  /** Sorted by organization and user id. */
  readonly users: readonly NamedUser[];
  /** Addresses that only these users ever had, without the name itself. */
  readonly sole: readonly string[];
  /** Addresses of these users that other users have or had, too. */
  readonly shared: readonly string[];
}

/**
 * Finds the users with a name. A user id means this user in every organization; an e-mail means every user who has or
 * had it. Users for whom `isForgotten` is true do not make an address shared.
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

/** The addresses of an owner. A user id may be an address, too. */
export function addressesIn({ userId, email }: StoredOwner): string[] {
  return [email ?? '', emailKey(userId)].filter(mayBeEmail);
}

/** The ids of the users with the name. */
async function namedIds(
  name: string,
  asked: string | undefined,
  each: EachOwner,
  nameOfAddress: NameOfAddress,
): Promise<Set<string>> {
  const ids = new Set<string>();
  if (asked === undefined) return ids.add(name);
  // With USER_EMAIL=none a user id that is an address was stored as the digest of the address.
  const withheld = new Set([nameOfAddress(name), nameOfAddress(asked)]);
  await each((owner) => {
    if (addressesIn(owner).includes(asked) || withheld.has(owner.userId)) ids.add(owner.userId);
  });
  return ids;
}
